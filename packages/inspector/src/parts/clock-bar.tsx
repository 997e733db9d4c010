import { act } from "../data/session/act.ts";
import { useSession } from "../data/session/context.ts";
import { day, duration, timeOfDay } from "../data/values/format.ts";
import { Button } from "./button.tsx";
import { Link } from "./link.tsx";

const minute = 60_000;

/** The clock of the sandbox in the head of the page: what time it is, and the usual ways to change it. */
export function ClockBar() {
  const session = useSession();
  const clock = session.clock.clock.value;
  const now = session.clock.now.value;
  if (clock === undefined) return null;
  const isRunning = clock.mode === "running";
  const [next] = clock.upcomingTimers;
  const jump = next === undefined ? "Jump" : `Jump ${duration(Date.parse(next.at) - now)}`;
  const control = session.control.value;
  const advance = (step: { readonly by: number } | { readonly nextTimer: true }) =>
    act(session, control.POST("/_control/v1/clock/advance", { body: step }));
  return (
    <div class="clock-bar" role="group" aria-label="Clock of the sandbox">
      <Link class="clock-now" to={["clock"]}>
        <span class="clock-day number">{day(now)}</span>
        <strong class="number">{timeOfDay(now)}</strong>
        <span class={`status tone-${isRunning ? "ok" : "info"}`}>
          {isRunning ? (clock.rate === 1 ? "running" : `running ${clock.rate}×`) : "frozen"}
        </span>
      </Link>
      <Button
        icon={isRunning ? "pause" : "play"}
        label={isRunning ? "Freeze the clock" : "Let the clock run"}
        onPress={() =>
          act(session, control.PATCH("/_control/v1/clock", { body: { mode: isRunning ? "frozen" : "running" } }))
        }
      />
      <Button label="+1 min: advance the clock by one minute" onPress={() => advance({ by: minute })}>
        <span class="clock-step">+1 min</span>
      </Button>
      <Button
        icon="next"
        disabled={next === undefined}
        label={next === undefined ? `${jump}: no timer is pending` : `${jump} to the next timer: ${next.kind}`}
        onPress={() => advance({ nextTimer: true })}
      >
        <span class="clock-next number">{jump}</span>
      </Button>
    </div>
  );
}
