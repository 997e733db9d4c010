import type { Schema } from "@call-transfer/backend/control-client";
import type { TokenEnd } from "../../data/session/credentials.ts";
import type { Tone } from "../../parts/data.tsx";
import { type Span, ticksOf } from "../../parts/timeline.tsx";

/** A timer or an expiry of the sandbox's clock. */
export type Timer = Schema<"UpcomingTimer">;
/** Something that happened in the sandbox. */
export type SandboxEvent = Schema<"Event">;

/** What a kind of timer is called, its tone, and the screen of its record. */
interface TimerKind {
  readonly text: string;
  readonly tone: Tone;
  readonly screen?: string;
}

const timerKinds: Readonly<Record<string, TimerKind>> = {
  "transfer.answers": { text: "Answers", tone: "ok", screen: "transfers" },
  "transfer.declines": { text: "Declines", tone: "warn", screen: "transfers" },
  "transfer.ring_ends": { text: "Ring ends", tone: "info", screen: "transfers" },
  "transfer.call_ends": { text: "Transferred call ends", tone: "ok", screen: "transfers" },
  "transfer.settles": { text: "Winner is chosen", tone: "ok", screen: "transfers" },
  "call.ends": { text: "Call ends", tone: "ok" },
  "availability.ends": { text: "Status ends", tone: "warn" },
  "secret.expires": { text: "Previous secret expires", tone: "bad" },
  "key.expires": { text: "API key expires", tone: "bad" },
  "token.expires": { text: "Access token expires", tone: "bad" },
  "sleep.ends": { text: "Delay ends", tone: "idle" },
};

/** Timers with the ends of the page's tokens among them, soonest first. */
export function withTokens(timers: readonly Timer[], tokens: readonly TokenEnd[]): readonly Timer[] {
  const ends = tokens.map(({ caller, at }) => ({ at: new Date(at).toISOString(), kind: "token.expires", id: caller }));
  return [...timers, ...ends].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

/** What a timer does, in words. */
export const timerKind = ({ kind }: Pick<Timer, "kind">): TimerKind => timerKinds[kind] ?? { text: kind, tone: "idle" };

/** The name of what a timer is about. */
export function timerName({ kind, memberId, destinationId, id }: Timer, nameOf: (id: string) => string): string {
  if (kind === "token.expires") return `of this page, role ${id}`;
  const found = memberId ?? destinationId ?? id;
  return found === undefined ? "" : nameOf(found);
}

const shortest = 60_000;
const scales = [60_000, 300_000, 900_000, 3_600_000, 6 * 3_600_000, 24 * 3_600_000, 7 * 24 * 3_600_000];

/** The span from now that shows most timers: to the last of them, rounded up, but not beyond a week. */
export function timersSpan(now: number, timers: readonly Timer[]): Span {
  const furthest = Math.max(shortest, ...timers.map(({ at }) => Date.parse(at) - now));
  return { from: now, to: now + (scales.find((scale) => scale >= furthest) ?? scales.at(-1) ?? shortest) };
}

/** Where a time stands on a line that gives the near future more room, from 0 to 1. */
export function nearness({ from, to }: Span, at: number): number {
  const unit = 10_000;
  const scaled = (time: number) => Math.log1p(Math.max(0, time) / unit);
  return to <= from ? 0 : Math.min(1, scaled(at - from) / scaled(to - from));
}

/** The ticks of such a line. */
export function nearTicks(span: Span): readonly { readonly at: number; readonly text: string }[] {
  const all = [10_000, 60_000, 600_000, 3_600_000, 6 * 3_600_000, 24 * 3_600_000, 7 * 24 * 3_600_000];
  const texts = ["10 s", "1 m", "10 m", "1 h", "6 h", "1 d", "7 d"];
  const inside = all.flatMap((length, index) =>
    span.from + length <= span.to ? [{ at: span.from + length, text: texts[index] ?? "" }] : [],
  );
  return inside.length < 2 ? ticksOf(span) : [{ at: span.from, text: "now" }, ...inside];
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of a duration such as `90s`, `1h 30m` or `2d`; undefined for another text. Without a unit it is seconds. */
export function parseDuration(text: string): number | undefined {
  const words = text.trim().toLowerCase();
  if (/^\d+(?:\.\d+)?$/.test(words)) return Number(words) * 1000;
  if (!/^(?:\d+(?:\.\d+)?\s*(?:ms|s|m|h|d)\s*)+$/.test(words)) return undefined;
  const parts = [...words.matchAll(/(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)/g)];
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * (units[unit ?? ""] ?? 0), 0);
}

const happenings: Readonly<Record<string, { readonly text: string; readonly tone: Tone }>> = {
  "transfer.ring_ended": { text: "Ring ended", tone: "info" },
  "transfer.connected": { text: "Transfer connected", tone: "ok" },
  "transfer.ended": { text: "Transfer ended", tone: "idle" },
  "transfer.unanswered": { text: "Transfer unanswered", tone: "bad" },
  "transfer.abandoned": { text: "Transfer abandoned", tone: "warn" },
  "transfer.answered_late": { text: "Late answer", tone: "bad" },
  "member.availability_changed": { text: "Member's status changed", tone: "warn" },
  "availability.ended": { text: "Status ended", tone: "ok" },
  "secret.expired": { text: "Previous secret expired", tone: "bad" },
  "key.expired": { text: "API key expired", tone: "bad" },
  "call.started": { text: "Call started", tone: "ok" },
  "call.completed": { text: "Call completed", tone: "idle" },
  "call.failed": { text: "Queued call failed", tone: "bad" },
  "delivery.started": { text: "Webhook sent", tone: "info" },
  "delivery.completed": { text: "Webhook answered", tone: "info" },
};

/** An event during a jump, in words. */
export function happening({ type }: Pick<SandboxEvent, "type">): { readonly text: string; readonly tone: Tone } {
  return happenings[type] ?? { text: type, tone: "idle" };
}

/** Details of an event in words: whom it is about, the outcome and the reason. */
export function happeningDetail(event: SandboxEvent, nameOf: (id: string) => string): string {
  const { memberId, destinationId, id, outcome, status, reason, code, type } = event as Readonly<
    Record<string, unknown>
  >;
  const about = [memberId, destinationId, String(type).startsWith("transfer.") ? undefined : id].find(
    (found) => typeof found === "string",
  );
  const parts = [about === undefined ? undefined : nameOf(String(about)), outcome ?? status ?? code, reason];
  return parts.filter((part) => part !== undefined && part !== null).join(" · ");
}
