import { dataAs, type Schema } from "@call-transfer/backend/control-client";
import { defineCommand } from "../options/command.ts";
import { asPrinted, type Hint } from "../terminal/program.ts";
import { relativeTime, shortIds } from "../terminal/show.ts";
import { formatTable } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { readStep, readTime, UsageError } from "../values/command-line.ts";
import { expectAtMost, required, unknownWord } from "../values/operands.ts";

export const clock = defineCommand({
  name: "clock",
  isList: true,
  summary: "show the time and the pending timers, or change the clock",
  isFrequent: true,
  usages: {
    clock: "print the time and the pending timers",
    "clock advance STEP":
      "advance the clock and print what happened. STEP is a duration (500ms, 30s, 15m, 24h, 7d), an RFC 3339 date-time, or next for the next timer",
    "clock set TIME": "set the clock to an RFC 3339 date-time",
    "clock freeze": "stop the time",
    "clock flow": "let the time pass by itself, as fast as --rate says",
  },
  example: "clock advance 24h",
  options: {
    rate: { type: "string", value: "N", help: "with flow: how many seconds pass in one real second, such as 60" },
  },
  async run({ control, operands: [action, ...rest], values: { rate }, terminal, hint }) {
    if (rate !== undefined && action !== "flow") throw new UsageError("--rate only works with clock flow.");
    const change = async (body: Schema<"ClockSetting">) => {
      const data = dataAs<"Clock">(await control.PUT("/_control/v1/clock", { body }));
      return { data, text: formatClock(data, terminal, hint) };
    };
    if (action === undefined) {
      const data = dataAs<"Clock">(await control.GET("/_control/v1/clock"));
      return { data, text: formatClock(data, terminal, hint) };
    }
    if (action === "freeze" || action === "flow") {
      expectAtMost(0, rest);
      if (action === "freeze") return change({ mode: "frozen" });
      return change({ mode: "flowing", ...(rate !== undefined && { rate: readRate(rate) }) });
    }
    if (action === "set") {
      const [time] = expectAtMost(1, rest);
      return change({ now: readTime("clock set", required(time, "time", "clock set 2026-03-02T12:00:00Z")) });
    }
    if (action !== "advance") throw unknownWord("clock action", action, ["advance", "set", "freeze", "flow"]);
    const [step] = expectAtMost(1, rest);
    const body = readStep(required(step, "duration or time", "clock advance 24h"));
    const data = dataAs<"ClockAdvanced">(await control.POST("/_control/v1/clock/advance", { body }));
    return { data, text: `${formatEffects(data.effects, terminal)}\n\n${formatClock(data, terminal, hint)}` };
  },
});

const fastest = 10_000;

function readRate(text: string): number {
  const rate = Number(text);
  if (text.trim() === "" || !(rate > 0 && rate <= fastest))
    throw new UsageError(`--rate ${text}: must be a number above 0 and up to ${fastest}, such as 60.`);
  return rate;
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

function formatClock(
  { now, mode, rate, upcoming, upcomingCount }: Schema<"Clock">,
  terminal: Terminal,
  hint: Hint,
): string {
  const head = `${now}, ${mode}${rate === 1 || mode === "frozen" ? "" : `, ${rate} times as fast`}`;
  if (upcoming.length === 0) return `${head}. No timer is pending.`;
  const short = shortIds(upcoming, terminal);
  const most = 20;
  const table = formatTable(upcoming.slice(0, most), terminal, [
    { title: "when", cell: ({ at }) => relativeTime(at, Date.parse(now)) },
    { title: "at", cell: ({ at }) => at },
    { title: "timer", cell: ({ kind }) => kind },
    { title: "id", cell: ({ id }) => id && short(id) },
  ]);
  const more = upcomingCount - Math.min(most, upcoming.length);
  return [head, table, ...(more > 0 ? [`… and ${more} more. List them: ${asPrinted(hint("clock --json"))}`] : [])].join(
    "\n",
  );
}
