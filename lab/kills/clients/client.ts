// A client: sends one write after the other, of kinds and values that follow from the seed.
import { setTimeout as sleep } from "node:timers/promises";
import { createRandom, type Random } from "../../simulate/scheduler.ts";
import { type ChangeOf, type History, isThere, type Kind, writesOf } from "../history.ts";
import { type ClientPlan, hoursFrom } from "../plan.ts";
import type { Target } from "./requests.ts";
import { Writer } from "./writer.ts";

/** How often each kind of write is sent, among all. */
const weights: Readonly<Record<Kind, number>> = {
  call: 26,
  group: 18,
  "group deletion": 11,
  availability: 14,
  hours: 5,
  rotation: 8,
  transfer: 14,
  "API key": 1,
  token: 1,
  advance: 4,
  sandbox: 2,
  "sandbox deletion": 1,
};

/** The longest pause after a write, in milliseconds. */
const longestPauseMs = 40;

export class Client extends Writer {
  readonly #random: Random;
  /** Makes names, numbers and times that no other write of the client has. */
  #count = 0;

  constructor(plan: ClientPlan, target: Target, seed: number, history: History) {
    super(plan, target, history);
    this.#random = createRandom(seed, plan.name);
  }

  /** Sends writes until `next` resolves with false. It is called before each. */
  async run(next: () => Promise<boolean>): Promise<void> {
    const { managesSandboxes, advancesClock } = this.plan;
    const kinds = (Object.keys(weights) as Kind[])
      .filter((kind) => managesSandboxes || !kind.startsWith("sandbox"))
      .filter((kind) => advancesClock || kind !== "advance")
      .flatMap((kind) => Array.from({ length: weights[kind] }, () => kind));
    while (await next()) {
      this.#count += 1;
      await this.#steps[this.#random.pick(kinds)]();
      await sleep(this.#random.between(0, longestPauseMs));
    }
  }

  readonly #steps: Readonly<Record<Kind, () => Promise<void>>> = {
    call: () => {
      const { flowId, fromNumber, prefix } = this.plan;
      const toNumber = prefix + String(this.#count).padStart(7, "0");
      const change: ChangeOf<"call"> = { kind: "call", toNumber };
      return this.send(
        change,
        () => this.sdk.calls.create({ flowId, fromNumber, toNumber }),
        (placed) => Object.assign(change, placed.type === "initiated" && { callId: placed.callId }),
      );
    },
    group: () => {
      const members = this.plan.destinationIds.slice(this.#random.below(2)).map((destinationId) => ({
        destinationId,
        // Longer than a server is down.
        ...(this.#random.chance(0.5) && { ringTimeoutSecs: 40 + this.#random.below(6) }),
      }));
      const name = `${this.plan.name} group ${this.#count}`;
      const group = { name, members, totalTimeoutSecs: 50 + this.#random.below(11) };
      const change: ChangeOf<"group"> = { kind: "group", group };
      return this.send(
        change,
        () => this.sdk.destinationGroups.create(group),
        ({ id }) => Object.assign(change, { id }),
      );
    },
    "group deletion": () => {
      const used = new Set(writesOf(this.writes, "transfer").map(({ change }) => change.groupId));
      const [group] = this.#groups().filter(({ id }) => !used.has(id));
      if (group === undefined) return this.#steps.group();
      const { id = "" } = group;
      const path = { collection: "groups", id } as const;
      return this.sendControl({ kind: "group deletion", name: group.group.name, id }, () =>
        this.control.DELETE("/_control/v1/records/{collection}/{id}", { params: { path } }),
      );
    },
    availability: () => {
      const memberId = this.#random.pick(this.plan.memberIds);
      const status = this.#random.pick(["away", "offline"]);
      const until = new Date(Date.parse("2100-01-01T00:00:00Z") + this.#count).toISOString();
      return this.#changeMember(
        { kind: "availability", memberId, status, until },
        { availability: { status, source: "admin", until } },
      );
    },
    hours: () => {
      const memberId = this.#random.pick(this.plan.memberIds);
      const from = `0${this.#random.below(10)}:${10 + this.#random.below(50)}`;
      if (this.#random.chance(0.5))
        return this.#changeMember({ kind: "hours", memberId, from }, { hours: hoursFrom(from) });
      return this.send(
        { kind: "hours", memberId, from: undefined },
        () => this.sdk.members.deleteHours(memberId),
        () => {},
      );
    },
    rotation: () => {
      const destinationId = this.#random.pick(this.plan.destinationIds);
      const change: ChangeOf<"rotation"> = { kind: "rotation", destinationId };
      return this.send(
        change,
        () => this.sdk.destinations.rotateSecret(destinationId),
        ({ signingSecret }) => Object.assign(change, { secret: signingSecret }),
      );
    },
    transfer: () => {
      const groupId = this.#random.pick([undefined, ...this.#groups()])?.id;
      const body = groupId === undefined ? { destinationId: this.#random.pick(this.plan.destinationIds) } : { groupId };
      const change: ChangeOf<"transfer"> = { kind: "transfer", ...body };
      return this.sendControl(
        change,
        () => this.control.POST("/_control/v1/transfers", { body }),
        ({ id, rings }) => Object.assign(change, { id, rings }),
      );
    },
    "API key": () => {
      const { accountId } = this.plan;
      const change: ChangeOf<"API key"> = { kind: "API key" };
      return this.sendControl(
        change,
        () => this.control.POST("/_control/v1/credentials/api-keys", { body: { accountId } }),
        ({ key }) => Object.assign(change, { key }),
      );
    },
    token: () => {
      const change: ChangeOf<"token"> = { kind: "token" };
      const body = { userId: this.#random.pick(this.plan.userIds), expiresInSecs: 86_400 };
      return this.sendControl(
        change,
        () => this.control.POST("/_control/v1/credentials/access-tokens", { body }),
        ({ token }) => Object.assign(change, { token }),
      );
    },
    advance: () => {
      const byMs = 20 + this.#random.below(80);
      return this.sendControl({ kind: "advance", byMs }, () =>
        this.control.POST("/_control/v1/clock/advance", { body: { by: byMs } }),
      );
    },
    sandbox: () => {
      const name = `extra-${this.#count}`;
      return this.sendControl({ kind: "sandbox", name }, () =>
        this.control.POST("/_control/v1/sandboxes", { body: { name } }),
      );
    },
    "sandbox deletion": () => {
      const [name] = this.#extraSandboxes();
      if (name === undefined) return this.#steps.sandbox();
      return this.sendControl({ kind: "sandbox deletion", name }, () =>
        this.control.DELETE("/_control/v1/sandboxes/{name}", { params: { path: { name } } }),
      );
    },
  };

  #changeMember(change: ChangeOf<"availability" | "hours">, body: Record<string, unknown>): Promise<void> {
    const path = { collection: "members", id: change.memberId } as const;
    return this.sendControl(change, () =>
      this.control.PATCH("/_control/v1/records/{collection}/{id}", { params: { path }, body }),
    );
  }

  /** The own groups that are there, and whose id is known. */
  #groups(): ChangeOf<"group">[] {
    const deleted = writesOf(this.writes, "group deletion").filter((write) => isThere(write) !== false);
    const gone = new Set(deleted.map(({ change }) => change.name));
    return writesOf(this.writes, "group")
      .filter((write) => isThere(write) && write.change.id !== undefined && !gone.has(write.change.group.name))
      .map(({ change }) => change);
  }

  /** The sandboxes that this client created, and that are there. */
  #extraSandboxes(): string[] {
    const deleted = writesOf(this.writes, "sandbox deletion").filter((write) => isThere(write) !== false);
    const gone = new Set(deleted.map(({ change }) => change.name));
    const created = writesOf(this.writes, "sandbox").filter((write) => isThere(write));
    return created.map(({ change }) => change.name).filter((name) => !gone.has(name));
  }
}
