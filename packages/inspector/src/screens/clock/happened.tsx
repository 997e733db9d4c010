import { duration } from "../../data/values/format.ts";
import { Status, Time } from "../../parts/data.tsx";
import { Link } from "../../parts/link.tsx";
import { Panel } from "../../parts/screen.tsx";
import { happening, happeningDetail, type SandboxEvent } from "./timers.ts";

/** A jump of the clock, and what happened during it. */
export interface Jump {
  readonly from: number;
  readonly to: number;
  readonly effects: readonly SandboxEvent[];
}

/** The most events that are listed. */
const most = 200;

/** What happened during the last jump that was made here. */
export function Happened({ jump, nameOf }: { readonly jump: Jump; readonly nameOf: (id: string) => string }) {
  return (
    <Panel title={`What happened in ${duration(jump.to - jump.from)}`}>
      <div aria-live="polite">{jump.effects.length === 0 && <p class="muted">No timer was due.</p>}</div>
      <ol class="happened">
        {jump.effects.slice(0, most).map((event) => {
          const { text, tone } = happening(event);
          const link = linkOf(event);
          return (
            <li key={event.eventId}>
              <Time at={event.at} />
              <Status tone={tone}>{text}</Status>
              <span dir="auto" class="happened-detail">
                {happeningDetail(event, nameOf)}
              </span>
              {link !== undefined && <Link to={link}>Show</Link>}
            </li>
          );
        })}
      </ol>
      {jump.effects.length > most && (
        <p class="muted">{jump.effects.length - most} more events are on the screen Traffic and in the log.</p>
      )}
    </Panel>
  );
}

function linkOf({ type, id }: SandboxEvent): readonly [string, ...string[]] | undefined {
  if (id === undefined) return undefined;
  if (type.startsWith("transfer.")) return ["transfers", id];
  return type.startsWith("webhook.") ? ["webhooks", id] : undefined;
}
