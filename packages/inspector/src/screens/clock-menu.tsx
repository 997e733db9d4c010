import { useSignal } from "@preact/signals";
import type { ClockStep, Timer } from "../data/control.ts";
import type { TokenEnd } from "../data/credentials.ts";
import type { NameOf } from "../data/events.ts";
import { day, duration, parseDuration, timeOfDay } from "../data/format.ts";
import { act, useSession } from "../data/session.ts";
import { emptyDirectory, type Tone, useDirectory } from "../data/transfers.ts";
import { Button, Form, Menu, SubmitButton, TextField } from "../parts/controls.tsx";
import { Relative, Status } from "../parts/data.tsx";
import { Link } from "../parts/screen.tsx";

const rates = [1, 10, 60, 600] as const;
const steps = [
  ["+1 s", 1000],
  ["+1 min", 60_000],
  ["+1 h", 3_600_000],
  ["+24 h", 86_400_000],
] as const;

/** The clock of the sandbox in the top bar: the time, the usual steps, and what comes next. */
export function ClockBar() {
  const session = useSession();
  const { control } = session;
  const clock = session.clock.clock.value;
  const now = session.clock.now.value;
  if (clock === undefined) return null;
  const isRunning = clock.mode === "running";
  const [next] = clock.upcomingTimers;
  const advance = (step: ClockStep) => act(session, () => control.value.advance(step));
  const [text = ""] = next === undefined ? [] : [timerKind(next).text.toLowerCase()];
  const left = next === undefined ? "" : duration(Date.parse(next.at) - now);
  return (
    <div class="clock-bar" role="group" aria-label="Clock of the sandbox">
      <Menu
        label="Clock"
        icon="timer"
        rank="plain"
        isWide
        text={
          <span class="number clock-time">
            <span class="clock-day">{day(now)} </span>
            <strong>{timeOfDay(now)}</strong>
            <span class="wide-only">
              {" "}
              UTC · {!isRunning ? "frozen" : clock.rate === 1 ? "real time" : `${clock.rate}×`}
            </span>
          </span>
        }
      >
        {(close) => <ClockPanel advance={advance} close={close} />}
      </Menu>
      <Button
        icon={isRunning ? "pause" : "play"}
        label={isRunning ? "Freeze the clock" : "Run the clock"}
        onPress={() => act(session, () => control.value.setClock({ mode: isRunning ? "frozen" : "running" }))}
      />
      <Button label="+1 min: move the clock by one minute" onPress={() => advance({ by: 60_000 })}>
        +1 min
      </Button>
      <span class="clock-next">
        <Button
          icon="next"
          disabled={next === undefined}
          label={next === undefined ? "No timer is due" : `Next: ${text} in ${left}. Moves the clock to it`}
          onPress={() => advance({ nextTimer: true })}
        >
          <span class="number">{next === undefined ? "No timer" : `Next: ${text} in ${left}`}</span>
        </Button>
      </span>
    </div>
  );
}

function ClockPanel({
  advance,
  close,
}: {
  readonly advance: (step: ClockStep) => Promise<boolean>;
  readonly close: () => void;
}) {
  const session = useSession();
  const { control } = session;
  const { nameOf } = useDirectory().data ?? emptyDirectory;
  const clock = session.clock.clock.value;
  if (clock === undefined) return null;
  const isRunning = clock.mode === "running";
  const timers = withTokens(clock.upcomingTimers, session.credentials.ends.value).slice(0, 100);
  return (
    <>
      <p class="number">
        {day(session.clock.now.value)} {timeOfDay(session.clock.now.value)} UTC
      </p>
      <div class="actions">
        <Button disabled={!isRunning} onPress={() => act(session, () => control.value.setClock({ mode: "frozen" }))}>
          Freeze
        </Button>
        {rates.map((rate) => (
          <Button
            key={rate}
            pressed={isRunning && clock.rate === rate}
            label={`Run at ${rate}×`}
            onPress={() => act(session, () => control.value.setClock({ mode: "running", rate }))}
          >
            {rate}×
          </Button>
        ))}
      </div>
      <div class="actions">
        {steps.map(([text, by]) => (
          <Button key={text} onPress={() => advance({ by })}>
            {text}
          </Button>
        ))}
      </div>
      <MoveForm advance={advance} />
      <h2>What comes next: {timers.length}</h2>
      {timers.length === 0 && <p class="muted">No timer is due. Calls, transfers and rotated secrets set timers.</p>}
      <ul class="plain-list timers">
        {timers.map((timer, index) => (
          <TimerRow
            key={`${timer.kind} ${timer.id} ${index}`}
            timer={timer}
            nameOf={nameOf}
            advance={advance}
            close={close}
          />
        ))}
      </ul>
    </>
  );
}

/** Moves the clock by a duration, or to a time. A time in the past sets the clock back without running timers. */
function MoveForm({ advance }: { readonly advance: (step: ClockStep) => Promise<boolean> }) {
  const session = useSession();
  const text = useSignal("");
  const error = useSignal<string | undefined>(undefined);
  const move = async () => {
    const by = parseDuration(text.value);
    const to = Date.parse(/[TZ]/.test(text.value) ? text.value : `${text.value}Z`);
    if (by === undefined && Number.isNaN(to)) {
      error.value = "Give a duration, such as 90s or 1h 30m, or a time, such as 2026-03-02 09:00.";
      return;
    }
    const now = new Date(to || 0).toISOString();
    if (by !== undefined) await advance({ by });
    else if (to >= session.clock.now.value) await advance({ to: now });
    else await act(session, () => session.control.value.setClock({ now }));
  };
  return (
    <Form onSubmit={move} class="fault-line">
      <TextField
        label="Move by a duration, or to a time in UTC"
        value={text.value}
        placeholder="1h 30m"
        error={error.value}
        onChange={(value) => {
          text.value = value;
          error.value = undefined;
        }}
      />
      <SubmitButton rank="secondary">Move</SubmitButton>
    </Form>
  );
}

function TimerRow({
  timer,
  nameOf,
  advance,
  close,
}: {
  readonly timer: Timer;
  readonly nameOf: NameOf;
  readonly advance: (step: ClockStep) => Promise<boolean>;
  readonly close: () => void;
}) {
  const { text, tone } = timerKind(timer);
  const name = timerName(timer, nameOf);
  const isOfCall = /^(?:transfer|call)\./.test(timer.kind) && timer.id !== undefined;
  return (
    <li>
      <span title={`${day(timer.at)} ${timeOfDay(timer.at)} UTC`}>
        <Relative at={timer.at} />
      </span>
      <span dir="auto" onClickCapture={close}>
        <Status tone={tone}>{text}</Status> {isOfCall ? <Link to={["calls", timer.id ?? ""]}>{name}</Link> : name}
      </span>
      <Button icon="next" label={`Move here: ${text}, ${name}`} onPress={() => advance({ to: timer.at })} />
    </li>
  );
}

/** The name and tone of a kind of timer. */
interface TimerKind {
  readonly text: string;
  readonly tone: Tone;
}

const timerKinds: Readonly<Record<string, TimerKind>> = {
  "transfer.answers": { text: "Answers", tone: "ok" },
  "transfer.declines": { text: "Declines", tone: "warn" },
  "transfer.ring_ends": { text: "Ring ends", tone: "info" },
  "transfer.call_ends": { text: "Transferred call ends", tone: "ok" },
  "transfer.settles": { text: "Winner is chosen", tone: "ok" },
  "call.ends": { text: "Call ends", tone: "ok" },
  "availability.ends": { text: "Status ends", tone: "warn" },
  "secret.expires": { text: "Previous secret expires", tone: "bad" },
  "key.expires": { text: "API key expires", tone: "bad" },
  "token.expires": { text: "Access token expires", tone: "bad" },
  "sleep.ends": { text: "Delay ends", tone: "idle" },
};

const timerKind = ({ kind }: Pick<Timer, "kind">): TimerKind => timerKinds[kind] ?? { text: kind, tone: "idle" };

/** The name of the subject of a timer. */
function timerName({ kind, memberId, destinationId, id }: Timer, nameOf: NameOf): string {
  if (kind === "token.expires") return `of this page, role ${id}`;
  const found = memberId ?? destinationId ?? id;
  return found === undefined ? "" : nameOf(found);
}

/** Timers with the ends of the page's tokens among them, soonest first. */
export function withTokens(timers: readonly Timer[], tokens: readonly TokenEnd[]): readonly Timer[] {
  const ends = tokens.map(({ caller, at }) => ({ at: new Date(at).toISOString(), kind: "token.expires", id: caller }));
  return [...timers, ...ends].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}
