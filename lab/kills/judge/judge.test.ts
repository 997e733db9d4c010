import { demo } from "@call-transfer/backend";
import { signWebhook } from "@call-transfer/sdk/webhooks";
import { limits, webhookSignature } from "@call-transfer/spec";
import { describe, expect, it } from "vitest";
import { reactionTo } from "../clients/receiver.ts";
import type { Change, Offer, Write } from "../history.ts";
import { firstSecret, frozenNow, hoursFrom, planOf } from "../plan.ts";
import { judgeOffers, judgeReactions, judgeSignatures, undelivered } from "./judge-offers.ts";
import { judgeOptions, judgeShape, judgeSnapshot } from "./judge-shape.ts";
import { judgeRequestIds, judgeSandboxes, judgeWrites } from "./judge-writes.ts";
import type { SandboxState } from "./state.ts";
import { newVerdict } from "./verdict.ts";

const plan = planOf(7, 30);
const client = plan.sandboxes[0]?.clients[0];
if (client === undefined) throw new Error("The plan has no clients.");
const { accountId, apiKey, destinationIds, memberIds } = client;
const [destinationId = ""] = destinationIds;
const [memberId = ""] = memberIds;

const write = (change: Change, rest: Partial<Write> = {}): Write => ({
  ...{ sandbox: "default", accountId, change, beganMs: 1000, endedMs: 1010, outcome: "acknowledged" },
  ...rest,
});

const untouched: SandboxState = {
  now: Date.parse(frozenNow),
  mode: "running",
  rate: 1,
  policies: { concurrentCallLimit: 1 },
  calls: [],
  groups: [],
  members: memberIds.map((id) => ({
    ...{ id, accountId, availability: { status: "available" }, hours: hoursFrom("09:00") },
  })),
  destinations: destinationIds.map((id) => ({ id, accountId, signingSecret: firstSecret(id), updatedAt: frozenNow })),
  apiKeys: [{ id: "k1", accountId, key: apiKey }],
  transfers: [],
  timers: [],
};

/** What a check finds, and decides about the writes of unknown outcome in their order. */
function judged(writes: readonly Write[], state: Partial<SandboxState> = {}, of = client) {
  const verdict = newVerdict();
  if (of !== undefined) judgeWrites(of, writes, { ...untouched, ...state }, verdict);
  return { findings: verdict.findings, decided: [...verdict.decided.values()] };
}
const findings = (...words: Parameters<typeof judged>) => judged(...words).findings;

const toNumber = "+12030000001";
const call = { id: "c1", accountId, status: "queued", createdAt: frozenNow, request: { toNumber } };
const group = { name: "Front desk", members: [{ destinationId }], totalTimeoutSecs: 50 };
const stored = { ...group, id: "g1", accountId, strategy: "simultaneous" };

describe("a call", () => {
  const placed = write({ kind: "call", toNumber, callId: "c1" });

  it("must be there once it was acknowledged", () => {
    expect(findings([placed], { calls: [call] })).toEqual([]);
    expect(findings([placed])).toEqual([`The call to ${toNumber} is lost. Its outcome was "acknowledged".`]);
  });

  it("must be there once, with the id of its answer", () => {
    expect(findings([placed], { calls: [call, { ...call, id: "c2" }] })).toEqual([
      `The call to ${toNumber} is there 2 times.`,
    ]);
    expect(findings([placed], { calls: [{ ...call, id: "c3" }] })).toEqual([
      `The call to ${toNumber} has the id c3, but its answer said c1.`,
    ]);
  });

  it("must not be there if it was refused, or if no client placed it", () => {
    const refused = write({ kind: "call", toNumber }, { outcome: "none" });
    expect(findings([refused])).toEqual([]);
    expect(findings([refused], { calls: [call] })[0]).toMatch(/is there, but must not be/);
    expect(findings([], { calls: [call] })[0]).toMatch(/no client placed it/);
  });

  it("may be there or not if its outcome is unknown, and stays so", () => {
    const lost = write({ kind: "call", toNumber }, { outcome: "unknown" });
    expect(judged([lost], { calls: [call] })).toEqual({ findings: [], decided: [{ isThere: true }] });
    expect(judged([lost])).toEqual({ findings: [], decided: [{ isThere: false }] });
    expect(findings([{ ...lost, isThere: true }])[0]).toMatch(/is lost.*An earlier check found it/);
    expect(findings([{ ...lost, isThere: false }], { calls: [call] })[0]).toMatch(/must not be.*did not find it/);
  });

  it("must not be under way during a check", () => {
    const { outcome: _, ...open } = placed;
    expect(findings([open])[0]).toMatch(/still under way/);
  });
});

describe("a group", () => {
  const created = write({ kind: "group", group, id: "g1" });
  const deleted = write({ kind: "group deletion", name: group.name, id: "g1" });

  it("must have all its fields", () => {
    expect(findings([created], { groups: [stored] })).toEqual([]);
    expect(findings([created])[0]).toMatch(/is lost/);
    expect(findings([created], { groups: [{ ...stored, members: [] }] })[0]).toMatch(/"members":\[\].*instead of/);
    expect(findings([created], { groups: [{ ...stored, id: "g2" }] })[0]).toMatch(/has the id g2/);
  });

  it("must be gone after its deletion", () => {
    expect(findings([created, deleted])).toEqual([]);
    expect(findings([created, deleted], { groups: [stored] })[0]).toMatch(/The deletion of the group .* is lost/);
  });

  it("stays if its deletion was not carried out", () => {
    const lost = write(deleted.change, { outcome: "unknown" });
    expect(judged([created, lost], { groups: [stored] }).decided).toEqual([{ isThere: false }]);
    expect(judged([created, lost]).decided).toEqual([{ isThere: true }]);
    expect(findings([created, { ...lost, isThere: false }])[0]).toMatch(/The deletion .* is there, but must not be/);
  });
});

describe("a member", () => {
  const set = (until: string, outcome: Write["outcome"] = "acknowledged") =>
    write({ kind: "availability", memberId, status: "away", until }, outcome && { outcome });
  const withUntil = (until: string): Partial<SandboxState> => ({
    members: untouched.members.map((member) => ({ ...member, availability: { status: "away", until } })).slice(0, 1),
  });
  const [only] = untouched.members.slice(1);
  const both = (state: Partial<SandboxState>) => ({ members: [...(state.members ?? []), ...(only ? [only] : [])] });

  it("has the availability that was set last", () => {
    expect(findings([set("one"), set("two")], both(withUntil("two")))).toEqual([]);
    expect(findings([set("one"), set("two")], both(withUntil("one")))).toEqual([
      `The availability of member ${memberId} is "away one" instead of "away two".`,
    ]);
  });

  it("may have one whose outcome is unknown", () => {
    const writes = [set("one"), set("two", "unknown")];
    expect(judged(writes, both(withUntil("two")))).toEqual({ findings: [], decided: [{ isThere: true }] });
    expect(judged(writes, both(withUntil("one")))).toEqual({ findings: [], decided: [{ isThere: false }] });
    expect(findings(writes, both(withUntil("three")))).toHaveLength(1);
  });

  it("has the hours that were set last", () => {
    const removed = write({ kind: "hours", memberId, from: undefined });
    expect(findings([removed])[0]).toMatch(/The start of the hours .* is "09:00" instead of undefined/);
  });
});

describe("a destination", () => {
  const rotated = write({ kind: "rotation", destinationId, secret: "second" });
  const lost = write({ kind: "rotation", destinationId }, { outcome: "unknown" });
  const later = new Date(Date.parse(frozenNow) + limits.previousSecretOverlapHours * 3_600_000).toISOString();
  const withSecrets = (signingSecret: string, previousSecret: string, previousSecretExpiresAt = later) => ({
    destinations: untouched.destinations.map((one) =>
      one.id === destinationId ? { ...one, signingSecret, previousSecret, previousSecretExpiresAt } : one,
    ),
  });
  const first = firstSecret(destinationId);

  it("signs with the secrets of the last rotation and the one before", () => {
    expect(findings([rotated], withSecrets("second", first))).toEqual([]);
    expect(findings([rotated])[0]).toMatch(/another secret/);
    expect(findings([rotated], withSecrets("second", "other"))[0]).toMatch(/another previous secret/);
    expect(findings([rotated], withSecrets("second", first, frozenNow))[0]).toMatch(/in part/);
  });

  it("may have one more if the outcome of a rotation is unknown", () => {
    const answer = { secret: "third" };
    expect(judged([rotated, lost], withSecrets("third", "second"))).toEqual({
      findings: [],
      decided: [{ isThere: true, answer }],
    });
    expect(judged([rotated, lost], withSecrets("second", first)).decided).toEqual([{ isThere: false }]);
    expect(findings([rotated, lost], withSecrets("third", first))[0]).toMatch(/another secret/);
  });
});

describe("what only an answer names", () => {
  const key = (id: string) => ({ id, accountId, key: id });
  const issued = write({ kind: "API key", key: "svc_live_1" });
  const lost = write({ kind: "API key" }, { outcome: "unknown" });
  const [first] = untouched.apiKeys;
  const apiKeys = (...ids: string[]) => ({ apiKeys: [...(first ? [first] : []), ...ids.map(key)] });

  it("must be there, and nothing else", () => {
    expect(findings([issued], apiKeys("svc_live_1"))).toEqual([]);
    expect(findings([issued], apiKeys())[0]).toMatch(/svc_live_1 is lost/);
    expect(findings([], apiKeys("svc_live_2"))[0]).toMatch(/no client asked for it/);
    expect(findings([], { apiKeys: [] })[0]).toMatch(/The first API key/);
  });

  it("may be there if its outcome is unknown", () => {
    expect(judged([issued, lost], apiKeys("svc_live_1", "svc_live_2")).decided).toEqual([
      { isThere: true, answer: { key: "svc_live_2" } },
    ]);
    expect(judged([issued, lost], apiKeys("svc_live_1")).decided).toEqual([{ isThere: false }]);
    expect(findings([{ ...lost, isThere: false }], apiKeys("svc_live_2"))[0]).toMatch(/no client asked for it/);
  });
});

it("a clock has advanced by all steps, and by a part of one whose outcome is unknown", () => {
  const frozen = plan.sandboxes.flatMap(({ clients }) => clients).find(({ advancesClock }) => advancesClock);
  const own = (outcome: Write["outcome"]) =>
    write({ kind: "advance", byMs: 100 }, { accountId: frozen?.accountId ?? "", ...(outcome && { outcome }) });
  const after = (ms: number) => judged([own("acknowledged"), own("unknown")], { now: untouched.now + ms }, frozen);
  const clock = (ms: number) => after(ms).findings.filter((finding) => finding.startsWith("The clock"));
  expect([clock(99).length, clock(100), clock(160), clock(201).length]).toEqual([1, [], [], 1]);
  expect(after(160).decided.at(-1)).toEqual({ isThere: true, answer: { byMs: 60 } });
});

it("sandboxes are there from their creation to their deletion", () => {
  const found = (...names: string[]) => {
    const verdict = newVerdict();
    const writes = [
      write({ kind: "sandbox", name: "one" }),
      write({ kind: "sandbox", name: "two" }),
      write({ kind: "sandbox deletion", name: "two" }),
    ];
    judgeSandboxes(["default"], writes, names, verdict);
    return verdict.findings;
  };
  expect(found("default", "one")).toEqual([]);
  expect(found("one")[0]).toMatch(/"default" is lost/);
  expect(found("default")[0]).toMatch(/"one" is lost/);
  expect(found("default", "one", "two")[0]).toMatch(/The deletion of the sandbox "two" is lost/);
  expect(found("default", "one", "three")[0]).toMatch(/"three" is there, but no client created it/);
});

it("request ids that repeat in a sandbox are found", () => {
  const found: string[] = [];
  judgeRequestIds(new Map(Object.entries({ one: ["a", "b"], two: ["a", "b", "a"] })), found);
  expect(found).toEqual([`1 request ids of the sandbox "two" repeat.`]);
});

describe("an offer", () => {
  const transfer = write({ kind: "transfer", destinationId, id: "t1", rings: [{ destinationId, deliveryId: "e1" }] });
  const body = (fields: object = {}) =>
    JSON.stringify({
      type: webhookSignature.event,
      id: "e1",
      transferId: "t1",
      destinationId,
      createdAt: frozenNow,
      ...fields,
    });
  const offer = (fields: Partial<Offer> = {}): Offer => ({
    ...{ sandbox: "default", destinationId, receivedMs: 2000, life: 0, header: "", body: body() },
    ...fields,
  });
  const found = (offers: readonly Offer[], writes: readonly Write[] = [transfer]) => {
    const messages: string[] = [];
    judgeOffers(writes, offers, messages);
    return messages;
  };

  it("must be delivered at least once", () => {
    expect(found([offer(), offer()])).toEqual([]);
    expect(found([])).toEqual([`The offer e1 of transfer t1 at ${destinationId} was not delivered.`]);
    expect([...undelivered([transfer], []).keys()]).toEqual(["e1"]);
  });

  it("must have one event id, and one body", () => {
    expect(found([offer(), offer({ body: body({ id: "e2" }) })])[0]).toMatch(/has 2 event ids: e1, e2/);
    expect(found([offer(), offer({ body: body({ createdAt: "later" }) })])[0]).toMatch(/another body/);
    expect(found([offer({ body: body({ id: "e2" }) })])[1]).toMatch(/is e2, but the answer said e1/);
  });

  it("must be of a transfer that is stored, for its own destination, and no other's event", () => {
    expect(found([offer()], [])[0]).toMatch(/which is not stored/);
    expect(found([offer({ destinationId: "other" })])[0]).toMatch(/but came to other/);
    const both = [
      { destinationId, deliveryId: "e1" },
      { destinationId: "other", deliveryId: "e1" },
    ];
    const writes = [write({ kind: "transfer", id: "t1", rings: both })];
    const other = offer({ destinationId: "other", body: body({ destinationId: "other" }) });
    expect(found([offer(), other], writes)[0]).toMatch(/is that of two rings/);
  });

  it("must be signed with the secrets of its time", async () => {
    const rotations = ["second", "third"].map((secret, index) =>
      write(
        { kind: "rotation", destinationId, secret },
        { beganMs: 5000 + index * 1000, endedMs: 5100 + index * 1000 },
      ),
    );
    const first = firstSecret(destinationId);
    const signed = async (receivedMs: number, startedMs: number, ...secrets: string[]) => {
      const headers = await Promise.all(
        secrets.map((secret) => signWebhook(body(), { secret, timestampMs: receivedMs })),
      );
      const [time = ""] = (headers[0] ?? "").split(",");
      const header = [time, ...headers.map((one) => one.split(",")[1])].join(",");
      const messages: string[] = [];
      const lives = [{ startedMs }];
      await judgeSignatures([transfer, ...rotations], [offer({ receivedMs, header })], lives, messages);
      return messages.length === 0;
    };
    // Before any rotation, between the two, during the second, and after both.
    expect(await signed(2000, 0, first)).toBe(true);
    expect(await signed(5500, 0, "second", first)).toBe(true);
    expect([await signed(6050, 5200, "second", first), await signed(6050, 5200, "third", "second")]).toEqual([
      true,
      true,
    ]);
    expect(await signed(9000, 7000, "third", "second")).toBe(true);
    // Of another time, in another order, with a part missing, or too much.
    expect(await signed(2000, 0, "second", first)).toBe(false);
    expect(await signed(9000, 7000, "second", first)).toBe(false);
    expect(await signed(9000, 7000, "second", "third")).toBe(false);
    expect(await signed(9000, 7000, "third")).toBe(false);
    expect(await signed(9000, 7000, "third", "second", first)).toBe(false);
  });

  it("must have the outcome of the app's reaction", () => {
    const ring = (outcome: "ringing" | "answered" | "declined" | "missed" | "taken") => ({
      ...{ destinationId, kind: "app", startedAt: 0, endsAt: 0, outcome, deliveryId: "e1", lateAnswers: [] },
    });
    const messages = (
      reaction: "accept" | "decline" | "hang up",
      isEnd: boolean,
      outcome: Parameters<typeof ring>[0],
    ) => {
      const list: string[] = [];
      const about = { id: "t1", accountId, status: "ringing" as const, startedAt: 0, answers: [] };
      judgeReactions({ ...untouched, transfers: [{ ...about, rings: [ring(outcome)] }] }, () => reaction, isEnd, list);
      return list.length;
    };
    expect([messages("accept", true, "answered"), messages("decline", true, "declined")]).toEqual([0, 0]);
    expect([messages("accept", false, "ringing"), messages("accept", true, "ringing")]).toEqual([0, 1]);
    expect([messages("accept", false, "declined"), messages("hang up", false, "answered")]).toEqual([1, 1]);
    expect(messages("accept", false, "missed")).toBe(1);
  });
});

describe("the shape of a state", () => {
  const found = (state: Partial<SandboxState>) => {
    const verdict = newVerdict();
    judgeShape({ ...untouched, ...state }, verdict);
    return verdict.findings;
  };
  const active = { ...call, id: "c0", status: "in_progress" };
  const ends = { at: 0, kind: "call.ends", id: "c0" };

  it("has a timer for each call in progress, and calls that wait only at the limit, in their order", () => {
    expect(found({ calls: [active, call], timers: [ends] })).toEqual([]);
    expect(found({ calls: [active] })[0]).toMatch(/has no timer/);
    expect(found({ calls: [call] })[0]).toMatch(/waits, although only 0 calls are in progress/);
    expect(found({ calls: [call, active], timers: [ends] })[0]).toMatch(/although a later one has started/);
    expect(found({ calls: [active, { ...active, id: "c2" }], timers: [ends, { ...ends, id: "c2" }] })[0]).toMatch(
      /limit/,
    );
    expect(
      found({
        calls: [
          { ...call, status: "completed" },
          { ...call, status: "completed" },
        ],
      })[0],
    ).toMatch(/repeat/);
  });

  it("has no timer of nothing", () => {
    expect(found({ timers: [ends] })).toEqual(["The timer call.ends of c0 is of nothing."]);
  });

  it("has rings, answers and timers of transfers that agree", () => {
    const ring = {
      destinationId,
      kind: "app",
      startedAt: 0,
      endsAt: 0,
      outcome: "ringing" as const,
      deliveryId: "e1",
      lateAnswers: [],
    };
    const transfer = { id: "t1", accountId, status: "ringing" as const, startedAt: 0, rings: [ring], answers: [] };
    const timer = { at: 0, kind: "transfer.ring_ends", id: "t1", index: 0 };
    expect(found({ transfers: [transfer], timers: [timer] })).toEqual([]);
    expect(found({ transfers: [transfer] })[0]).toMatch(/rings, but has no timer/);
    const unsent = { ...ring, deliveryId: undefined } as unknown as typeof ring;
    expect(found({ transfers: [{ ...transfer, rings: [unsent] }], timers: [timer] })[0]).toMatch(/has no offer/);
    expect(found({ transfers: [{ ...transfer, answers: [0] }], timers: [timer] })[0]).toMatch(/chooses a winner/);
    const connected = { ...transfer, status: "connected" as const };
    expect(found({ transfers: [connected], timers: [timer] })).toHaveLength(3);
  });

  it("must be one that a backend accepts", () => {
    const verdict = newVerdict();
    judgeSnapshot({ version: 1 } as unknown as Parameters<typeof judgeSnapshot>[0], verdict);
    expect(verdict.findings[0]).toMatch(/^The state is not valid/);
  });

  it("has the options of its creation", () => {
    const found = (state: Partial<SandboxState>) => {
      const verdict = newVerdict();
      const options = { clockMode: "running", randomSeed: 1 } as const;
      judgeOptions({ options, policies: { concurrentCallLimit: 1 } }, { ...untouched, ...state }, verdict);
      return verdict.findings;
    };
    expect(found({})).toEqual([]);
    expect(found({ policies: { concurrentCallLimit: 2 } })).toEqual([
      "The policy concurrentCallLimit is 2 instead of 1.",
    ]);
    expect(found({ mode: "frozen", rate: 2 })).toHaveLength(2);
  });
});

describe("a plan", () => {
  it("follows from the seed", () => {
    expect(planOf(7, 30)).toEqual(plan);
    expect(planOf(8, 30).ends).not.toEqual(plan.ends);
  });

  it("gives each client an account of its own, and none of the demonstration", () => {
    const ids = plan.sandboxes.flatMap(({ clients }) => clients.map((one) => one.accountId));
    expect(new Set([...ids, demo.accountId, demo.foreignAccountId]).size).toBe(ids.length + 2);
  });

  it("has apps that accept, decline and hang up, always the same for an event", () => {
    const ids = Array.from({ length: 100 }, (_, index) => `event ${index}`);
    expect(new Set(ids.map((id) => reactionTo(7, id))).size).toBe(3);
    expect(ids.map((id) => reactionTo(7, id))).toEqual(ids.map((id) => reactionTo(7, id)));
  });
});
