import { dataAs, type Schema } from "@call-transfer/backend/control-client";
import { useSignal } from "@preact/signals";
import { emptyDirectory, useDirectory } from "../data/records/directory.ts";
import { act } from "../data/session/act.ts";
import { useSession } from "../data/session/context.ts";
import { day, timeOfDay } from "../data/values/format.ts";
import { Button } from "../parts/button.tsx";
import { Status } from "../parts/data.tsx";
import { TextField } from "../parts/field.tsx";
import { Screen } from "../parts/screen.tsx";
import { onSubmit } from "../parts/submit.ts";
import { Happened, type Jump } from "./clock/happened.tsx";
import { parseDuration } from "./clock/timers.ts";
import { UpcomingTimer } from "./clock/upcoming.tsx";

const rates = [1, 10, 60, 600] as const;
const steps = [
  ["+1 s", 1000],
  ["+1 min", 60_000],
  ["+1 h", 3_600_000],
  ["+24 h", 86_400_000],
] as const;

type Step = { readonly by: number } | { readonly to: string } | { readonly nextTimer: true };

/** The screen Clock. */
export function Clock() {
  const session = useSession();
  const directory = useDirectory();
  const { nameOf } = directory.data ?? emptyDirectory;
  const jump = useSignal<Jump | undefined>(undefined);
  const clock = session.clock.clock.value;
  const advance = async (step: Step) => {
    const from = session.clock.read();
    const task = session.control.peek().POST("/_control/v1/clock/advance", { body: step });
    if (!(await act(session, task))) return;
    const { now, effects } = dataAs<"ClockAdvanced">(await task);
    jump.value = { from, to: Date.parse(now), effects };
  };
  return (
    <Screen title="Clock">
      {clock !== undefined && (
        <div class="clock">
          <ClockFace clock={clock} advance={advance} />
          {jump.value !== undefined && <Happened jump={jump.value} nameOf={nameOf} />}
          <UpcomingTimer
            clock={clock}
            tokens={session.credentials.ends.value}
            nameOf={nameOf}
            jumpTo={(at) => advance({ to: at })}
          />
        </div>
      )}
    </Screen>
  );
}

function ClockFace({
  clock,
  advance,
}: {
  readonly clock: Schema<"Clock">;
  readonly advance: (step: Step) => Promise<void>;
}) {
  const session = useSession();
  const isRunning = clock.mode === "running";
  const set = (setting: Schema<"ClockSetting">) =>
    act(session, session.control.peek().PATCH("/_control/v1/clock", { body: setting }));
  return (
    <section class="clock-face panel" aria-label="Now">
      <div class="clock-time">
        <Now />
        <Status tone={isRunning ? "ok" : "info"}>{isRunning ? `Flowing at ${clock.rate}×` : "Frozen"}</Status>
      </div>
      <div class="clock-buttons">
        <fieldset class="clock-group">
          <legend>Flow</legend>
          <Button icon="pause" disabled={!isRunning} onPress={() => set({ mode: "frozen" })}>
            Freeze
          </Button>
          {rates.map((rate) => {
            const isCurrent = isRunning && clock.rate === rate;
            return (
              <Button
                key={rate}
                pressed={isCurrent}
                label={`Run at ${rate}×`}
                onPress={() => set({ mode: "running", rate })}
              >
                {rate}×
              </Button>
            );
          })}
        </fieldset>
        <fieldset class="clock-group">
          <legend>Step</legend>
          {steps.map(([text, by]) => (
            <Button key={text} onPress={() => advance({ by })}>
              {text}
            </Button>
          ))}
          <Button icon="next" disabled={clock.upcomingTimers.length === 0} onPress={() => advance({ nextTimer: true })}>
            Jump to the next timer
          </Button>
        </fieldset>
        <FreeStep advance={advance} set={set} />
      </div>
    </section>
  );
}

/** The time now, large. It is drawn again by itself. */
function Now() {
  const now = useSession().clock.now.value;
  return (
    <p class="clock-big number">
      <strong>{timeOfDay(now)}</strong> <span class="clock-date muted">{day(now)} UTC</span>
    </p>
  );
}

/** A step of any duration, and a jump to any time. A time in the past sets the clock back without running timers. */
function FreeStep({
  advance,
  set,
}: {
  readonly advance: (step: Step) => Promise<void>;
  readonly set: (setting: Schema<"ClockSetting">) => Promise<boolean>;
}) {
  const { clock } = useSession();
  const by = useSignal("90s");
  const to = useSignal("");
  const ms = parseDuration(by.value);
  const target = Date.parse(`${to.value}${to.value.length === 16 ? ":00" : ""}Z`);
  const isBack = target < clock.now.value;
  const move = async () => {
    if (Number.isNaN(target)) return;
    const now = new Date(target).toISOString();
    await (isBack ? set({ now }) : advance({ to: now }));
  };
  return (
    <div class="clock-free">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (ms !== undefined) void advance({ by: ms });
        }}
      >
        <TextField
          label="Duration"
          value={by.value}
          onChange={(value) => (by.value = value)}
          error={ms === undefined ? "Give a duration, such as 90s, 1h 30m or 2d." : undefined}
        />
        <Button disabled={ms === undefined} onPress={() => ms !== undefined && advance({ by: ms })}>
          Advance
        </Button>
      </form>
      <form onSubmit={onSubmit(move)}>
        <TextField label="Time (UTC)" type="datetime-local" value={to.value} onChange={(value) => (to.value = value)} />
        <Button disabled={Number.isNaN(target)} onPress={move}>
          {isBack ? "Set back" : "Advance to it"}
        </Button>
      </form>
    </div>
  );
}
