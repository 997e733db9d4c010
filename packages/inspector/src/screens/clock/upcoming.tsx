import type { Schema } from "@call-transfer/backend/control-client";
import type { TokenEnd } from "../../data/session/credentials.ts";
import { day, timeOfDay } from "../../data/values/format.ts";
import { Button } from "../../parts/button.tsx";
import { Relative, Status, Time } from "../../parts/data.tsx";
import { Link } from "../../parts/link.tsx";
import { Panel } from "../../parts/screen.tsx";
import { nearness, nearTicks, type Timer, timerKind, timerName, timersSpan, withTokens } from "./timers.ts";

/** The most timers that are listed and drawn. */
const most = 200;

/** Timers and expiries that are due later, on a line and as a list. */
export function UpcomingTimer({
  clock,
  tokens,
  nameOf,
  jumpTo,
}: {
  readonly clock: Schema<"Clock">;
  /** The tokens of this page, of which the server keeps no list. */
  readonly tokens: readonly TokenEnd[];
  readonly nameOf: (id: string) => string;
  readonly jumpTo: (at: string) => Promise<void>;
}) {
  const timers = withTokens(clock.upcomingTimers, tokens).slice(0, most);
  const count = clock.upcomingTimerCount + tokens.length;
  const more = count - timers.length;
  return (
    <Panel title={`UpcomingTimer: ${count}`}>
      {timers.length === 0 ? (
        <p class="muted">
          No timer is pending. Start a transfer, place a call or rotate a secret: its timers appear here.
        </p>
      ) : (
        <>
          <TimerLine now={Date.parse(clock.now)} timers={timers} nameOf={nameOf} />
          <ul class="timers">
            {timers.map((timer, index) => (
              <TimerRow key={`${timer.kind} ${timer.id} ${index}`} timer={timer} nameOf={nameOf} jumpTo={jumpTo} />
            ))}
          </ul>
          {more > 0 && <p class="muted">{more} more are due later.</p>}
        </>
      )}
    </Panel>
  );
}

function TimerLine({
  now,
  timers,
  nameOf,
}: {
  readonly now: number;
  readonly timers: readonly Timer[];
  readonly nameOf: (id: string) => string;
}) {
  const span = timersSpan(now, timers);
  const position = (at: number) => `${nearness(span, at) * 100}%`;
  return (
    <div
      class="timer-line"
      role="img"
      aria-label="UpcomingTimer timers, the nearest first. The list below says the same."
    >
      {nearTicks(span).map(({ at, text }) => (
        <span key={at} class="timeline-tick" style={{ insetInlineStart: position(at) }}>
          <span class="number">{text}</span>
        </span>
      ))}
      <span class="timer-rail" />
      {timers.map((timer, index) => {
        const at = Date.parse(timer.at);
        const { text, tone } = timerKind(timer);
        return (
          <span
            key={index}
            class={`track-mark tone-${tone}`}
            title={`${text}: ${timerName(timer, nameOf)}, ${day(at)} ${timeOfDay(at)}`}
            style={{ insetInlineStart: position(at) }}
          />
        );
      })}
    </div>
  );
}

function TimerRow({
  timer,
  nameOf,
  jumpTo,
}: {
  readonly timer: Timer;
  readonly nameOf: (id: string) => string;
  readonly jumpTo: (at: string) => Promise<void>;
}) {
  const { text, tone, screen } = timerKind(timer);
  const name = timerName(timer, nameOf);
  return (
    <li class="timer">
      <span class="timer-left">
        <Relative at={timer.at} />
      </span>
      <Time at={timer.at} />
      <Status tone={tone}>{text}</Status>
      <span class="timer-name" dir="auto">
        {screen === undefined || timer.id === undefined ? name : <Link to={[screen, timer.id]}>{name}</Link>}
      </span>
      <Button icon="next" label={`Jump here: ${text}, ${name}`} onPress={() => jumpTo(timer.at)}>
        Jump here
      </Button>
    </li>
  );
}
