// Time lines of what programs of examples/ print.
import type { Kind, Part, Timeline } from "./timeline.ts";

const ends: Readonly<Record<string, Kind>> = { declined: "declined", taken: "taken", answered: "answered" };
const reactions: Readonly<Record<string, string>> = {
  declined: "declines",
  taken: "stops ringing",
  answered: "answers",
};

/**
 * The rings that examples/group-ringing.ts prints, until some seconds after the answer.
 *
 * @throws Error if a line is not what the program printed when this was written.
 */
export function ringsOf(lines: readonly string[]): Timeline {
  const rows = lines.map((line) => {
    const [, minutes, seconds, what = "", text = ""] = /^(\d\d):(\d\d) {2}(\w+) +(.*)$/.exec(line) ?? [];
    if (minutes === undefined) throw new Error(`examples/group-ringing.ts printed "${line}", which has no time.`);
    return { at: Number(minutes) * 60 + Number(seconds), what, text };
  });
  const names = rows.filter(({ what }) => what === "ringing").map(({ text }) => text);
  const connected = rows.find(({ what }) => what === "connected")?.at ?? 0;
  const secs = connected + 3;
  const tracks = names.map((name) => {
    const end = rows.find(({ what, text }) => what in ends && text.startsWith(name));
    if (end === undefined) throw new Error(`examples/group-ringing.ts does not print how the ring of ${name} ended.`);
    const ring: Part = {
      from: 0,
      to: end.at,
      kind: ends[end.what] ?? "ring",
      text: reactions[end.what] ?? end.what,
    };
    const talk: Part = { from: end.at, to: secs, kind: "talk", text: "talks" };
    return { name, parts: end.what === "answered" ? [ring, talk] : [ring] };
  });
  const sentences = tracks.map(({ name, parts: [ring] }) => `${name} ${ring?.text} after ${ring?.to} s.`);
  const description = `${names.length} ring at once. ${sentences.join(" ")}`;
  const ticks = Array.from({ length: Math.ceil(secs / 2) }, (_, index) => 2 * index);
  return { description, secs, ticks, tracks };
}

/** The requests of examples/retried-call.ts: what it prints, and the second that its fault asks to wait. */
export function retriesOf(lines: readonly string[]): Timeline {
  const statuses = lines.flatMap((line) => /^POST \S+ (\d{3})$/.exec(line)?.[1] ?? []);
  const description = `The request is answered with ${statuses.join(", then, a second later, with ")}, and the phone rings once.`;
  const requests = statuses.flatMap((status, at): Part[] => {
    const isLast = at === statuses.length - 1;
    const answer: Part = { from: at, to: at + 0.45, kind: isLast ? "answered" : "refused", text: status };
    return isLast ? [answer] : [answer, { from: at + 0.45, to: at + 1, kind: "wait", text: "waits" }];
  });
  const last = statuses.length - 1;
  const tracks = [
    { name: "Requests", parts: requests },
    { name: "Phone", parts: [{ from: last + 0.45, to: last + 1.2, kind: "ring", text: "rings" } as const] },
  ];
  return { description, secs: last + 1.2, ticks: statuses.map((_, at) => at), tracks };
}
