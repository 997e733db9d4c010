import { dataAs, type Schema } from "@call-transfer/backend/control-client";
import { action, type Command, type Context } from "./command.ts";
import type { Hint, Terminal } from "./output.ts";
import { formatTable, relativeTime, shortIds } from "./tables.ts";
import { durationOf, isTime, readRate, readTime, UsageError } from "./values.ts";

export const clock: Command = {
  name: "clock",
  summary: "show the time and the pending timers, or change the clock",
  example: "clock advance 24h",
  actions: [
    action("", { help: "print the time and the pending timers" }, async ({ control, terminal, hint }) => {
      const data = dataAs<"Clock">(await control.GET("/_control/v1/clock"));
      return { data, text: formatClock(data, terminal, hint) };
    }),
    action(
      "advance STEP",
      {
        help: "advance the clock and print what happened. STEP is a duration (500ms, 30s, 15m, 24h, 7d), an RFC 3339 date-time, or next for the next timer",
        example: "advance 24h",
      },
      async ({ control, operands: [step = ""], terminal, hint }) => {
        const body = readStep(step);
        const data = dataAs<"ClockAdvanced">(await control.POST("/_control/v1/clock/advance", { body }));
        return { data, text: `${formatEffects(data.effects, terminal)}\n\n${formatClock(data, terminal, hint)}` };
      },
    ),
    action(
      "set TIME",
      { help: "set the clock to an RFC 3339 date-time", example: "set 2026-03-02T12:00:00Z" },
      async (context) => change(context, { now: readTime("clock set", context.operands[0] ?? "") }),
    ),
    action("freeze", { help: "stop the time" }, (context) => change(context, { mode: "frozen" })),
    action(
      "run",
      {
        help: "let the time pass by itself, as fast as --rate says",
        options: { rate: { value: "N", read: readRate, help: "seconds that pass in one real second, such as 60" } },
      },
      (context) => {
        const { rate } = context.values;
        return change(context, { mode: "running", ...(rate !== undefined && { rate }) });
      },
    ),
  ],
};

async function change({ control, terminal, hint }: Context, body: Schema<"ClockSetting">) {
  const data = dataAs<"Clock">(await control.PATCH("/_control/v1/clock", { body }));
  return { data, text: formatClock(data, terminal, hint) };
}

/** Parses the argument of `clock advance`: a duration, a time, or `next`. Throws UsageError. */
export function readStep(step: string): { by: number } | { to: string } | { nextTimer: true } {
  if (step === "next") return { nextTimer: true };
  const by = durationOf(step);
  if (by !== undefined) return { by };
  if (isTime(step)) return { to: step };
  throw new UsageError(
    `clock advance ${step}: must be a duration such as 30s or 24h, a time such as 2026-03-02T12:00:00Z, or next.`,
  );
}

function formatEffects(effects: readonly Schema<"Event">[], terminal: Terminal): string {
  if (effects.length === 0) return "Nothing was due.";
  const short = shortIds(effects, terminal);
  return formatTable(effects, terminal, [
    { title: "at", cell: ({ at }) => at },
    { title: "what happened", cell: ({ type }) => type },
    { title: "id", cell: ({ id }) => id && short(id) },
  ]);
}

const mostTimers = 20;

function formatClock(clock: Schema<"Clock">, terminal: Terminal, hint: Hint): string {
  const { now, mode, rate, upcomingTimers, upcomingTimerCount } = clock;
  const head = `${now}, ${mode}${rate === 1 || mode === "frozen" ? "" : `, ${rate} times as fast`}`;
  if (upcomingTimers.length === 0) return `${head}. No timer is pending.`;
  const short = shortIds(upcomingTimers, terminal);
  const table = formatTable(upcomingTimers.slice(0, mostTimers), terminal, [
    { title: "when", cell: ({ at }) => relativeTime(at, Date.parse(now)) },
    { title: "at", cell: ({ at }) => at },
    { title: "timer", cell: ({ kind }) => kind },
    { title: "id", cell: ({ id }) => id && short(id) },
  ]);
  const more = upcomingTimerCount - Math.min(mostTimers, upcomingTimers.length);
  return [head, table, ...(more > 0 ? [`… and ${more} more. List them: ${hint("clock --json")}`] : [])].join("\n");
}
