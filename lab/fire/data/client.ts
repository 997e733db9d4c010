// A client: sends one write after the other, of kinds and values that follow from the seed, and keeps what each must have left.
import { setTimeout as sleep } from "node:timers/promises";
import { type ControlClient, createControlClient } from "@call-transfer/backend/control-client";
import { CallTransfer, ConflictError, RequestError } from "@call-transfer/sdk";
import { createRandom, type Random } from "../../simulate/scheduler.ts";
import { groupText, type OpenWrite, type Registers, type Rings, transferText } from "./judge.ts";
import { type ClientPlan, frozenNow, hoursFrom } from "./plan.ts";

/** Where a server is. */
export interface Target {
  /** Base URL, without a slash at its end. */
  readonly url: string;
  /** What its control plane requires. */
  readonly token: string | undefined;
}

/** What all clients of a run write down. */
export interface Log {
  /** The request ids by sandbox, of every answer. */
  readonly requestIds: Map<string, string[]>;
  /** Answers that no client should get. */
  readonly unexpected: string[];
  readonly counts: Record<"requests" | "acknowledged writes" | "writes without an answer", number>;
}

/** How long a request waits for the server to start again, in milliseconds. */
const patienceMs = 60_000;
/** The longest pause after a write, in milliseconds. */
const longestPauseMs = 40;

/** A fetch that writes down request ids, and answers that no client should get. */
export function recordingFetch({ requestIds, unexpected, counts }: Log, sandbox: string): typeof globalThis.fetch {
  const ids = requestIds.get(sandbox) ?? [];
  requestIds.set(sandbox, ids);
  return async (input, init) => {
    counts.requests += 1;
    const response = await fetch(input, init);
    const id = response.headers.get("x-request-id");
    if (id !== null) ids.push(id);
    if (response.status >= 500)
      unexpected.push(`${response.url} was answered ${response.status}: ${await response.clone().text()}`);
    return response;
  };
}

/** Whether a request never left, because nothing listens on the port. */
const isRefusal = (error: unknown): boolean =>
  error instanceof TypeError && Object(error.cause).code === "ECONNREFUSED";

/** Creates a client of the control plane of a sandbox. It waits until the server runs. */
export function controlOf({ url, token }: Target, sandbox: string, log: Log): ControlClient {
  const send = recordingFetch(log, sandbox);
  const patient = async (request: Request): Promise<Response> => {
    for (const startedMs = Date.now(); ; await sleep(20)) {
      try {
        return await send(request.clone());
      } catch (error) {
        if (!isRefusal(error) || Date.now() - startedMs > patienceMs) throw error;
      }
    }
  };
  return createControlClient({ url, sandbox, token, fetch: patient });
}

/** An answer of the control plane, as its client returns it. */
interface ControlAnswer {
  readonly data?: unknown;
  readonly error?: unknown;
  readonly response: Response;
}

/** How often each kind of write is sent, among all. */
const weights = {
  call: 26,
  group: 18,
  "group deletion": 11,
  availability: 14,
  hours: 5,
  rotation: 8,
  transfer: 14,
  token: 1,
  advance: 4,
  sandbox: 2,
  "sandbox deletion": 1,
};
type Kind = keyof typeof weights;

/** A write of exactly one value. */
const exactly = (register: string, wanted: string | undefined): OpenWrite => ({
  register,
  fits: (value) => value === wanted,
});
/** A write whose value, or register, only the answer names. */
const anything = (register: string): OpenWrite => ({ register, fits: (value) => value !== undefined });

export class Client {
  readonly plan: ClientPlan;
  readonly sdk: CallTransfer;
  readonly control: ControlClient;
  /** What must be there: see the judge. */
  readonly expected: Registers = new Map();
  /** The writes since the last check whose answer is missing, or does not say everything. */
  readonly open = new Set<OpenWrite>();
  /** The last token. It is not stored, and must be valid all the same. */
  token: string | undefined;
  readonly #log: Log;
  readonly #random: Random;
  readonly #usedGroups = new Set<string>();
  /** Makes names, numbers and times that no other write of the client has. */
  #count = 0;

  constructor(plan: ClientPlan, target: Target, seed: number, log: Log) {
    const { sandbox, apiKey, name } = plan;
    this.plan = plan;
    this.#log = log;
    this.#random = createRandom(seed, name);
    this.sdk = new CallTransfer({
      baseUrl: `${target.url}/_sandbox/${sandbox}`,
      ...{ apiKey, logLevel: "off", fetch: recordingFetch(log, sandbox) },
      ...(sandbox === "frozen" && { clock: { now: () => Date.parse(frozenNow), setTimeout, clearTimeout } }),
    });
    this.control = controlOf(target, sandbox, log);
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
      return this.#send(
        anything(`call to ${toNumber}`),
        () => this.sdk.calls.create({ flowId, fromNumber, toNumber }),
        (placed) => {
          if (placed.type === "initiated") this.#set(`call to ${toNumber}`, placed.callId);
          // The id of a waiting call is not known.
          else this.open.add({ ...anything(`call to ${toNumber}`), isApplied: true });
        },
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
      return this.#send(
        {
          register: `group ${name}`,
          fits: (value = "") => value.slice(value.indexOf(",")) === groupText("", group),
        },
        () => this.sdk.destinationGroups.create(group),
        ({ id }) => this.#set(`group ${name}`, groupText(id, group)),
      );
    },
    "group deletion": () => {
      const [group] = this.#groups().filter(([, id]) => !this.#usedGroups.has(id));
      if (group === undefined) return this.#steps.group();
      const [register, id] = group;
      const path = { collection: "groups", id } as const;
      return this.#sendControl(
        exactly(register, undefined),
        () => this.control.DELETE("/_control/v1/records/{collection}/{id}", { params: { path } }),
        () => this.expected.delete(register),
      );
    },
    availability: () => {
      const memberId = this.#random.pick(this.plan.memberIds);
      const status = this.#random.pick(["away", "offline"]);
      const until = new Date(Date.parse("2100-01-01T00:00:00Z") + this.#count).toISOString();
      const write = { availability: { status, source: "admin", until } };
      return this.#changeMember(memberId, `availability of ${memberId}`, `${status} ${until}`, write);
    },
    hours: () => {
      const memberId = this.#random.pick(this.plan.memberIds);
      const register = `hours of ${memberId}`;
      const from = `0${this.#random.below(10)}:${10 + this.#random.below(50)}`;
      if (this.#random.chance(0.5)) return this.#changeMember(memberId, register, from, { hours: hoursFrom(from) });
      return this.#send(
        exactly(register, "undefined"),
        () => this.sdk.members.deleteHours(memberId),
        () => this.#set(register, "undefined"),
      );
    },
    rotation: () => {
      const destinationId = this.#random.pick(this.plan.destinationIds);
      const register = `secrets of ${destinationId}`;
      const previous = this.expected.get(register)?.split(" ")[0];
      return this.#send(
        { register, fits: (value) => value?.endsWith(` after ${previous}`) ?? false },
        () => this.sdk.destinations.rotateSecret(destinationId),
        ({ signingSecret }) => this.#set(register, `${signingSecret} after ${previous}`),
      );
    },
    transfer: () => {
      const groupId = this.#random.pick([undefined, ...this.#groups()])?.[1];
      if (groupId !== undefined) this.#usedGroups.add(groupId);
      const body = groupId === undefined ? { destinationId: this.#random.pick(this.plan.destinationIds) } : { groupId };
      return this.#sendControl(
        anything("transfer "),
        () => this.control.POST("/_control/v1/transfers", { body }),
        ({ id, rings }) => this.#set(`transfer ${id}`, transferText({ ...body, rings: rings as unknown as Rings })),
      );
    },
    token: () => {
      const body = { userId: this.#random.pick(this.plan.userIds), expiresInSecs: 86_400 };
      return this.#sendControl(
        exactly("token", undefined),
        () => this.control.POST("/_control/v1/credentials/access-tokens", { body }),
        ({ accessToken }) => {
          this.token = accessToken;
        },
      );
    },
    advance: () => {
      const byMs = 20 + this.#random.below(80);
      const before = Number(this.expected.get("clock"));
      return this.#sendControl(
        // It goes from timer to timer, so that a part of it may be there.
        { register: "clock", fits: (value) => Number(value) > before && Number(value) <= before + byMs },
        () => this.control.POST("/_control/v1/clock/advance", { body: { by: byMs } }),
        () => this.#set("clock", String(before + byMs)),
      );
    },
    sandbox: () => {
      const name = `extra-${this.#count}`;
      return this.#sendControl(
        anything(`sandbox ${name}`),
        () => this.control.POST("/_control/v1/sandboxes", { body: { name } }),
        () => this.#set(`sandbox ${name}`, "there"),
      );
    },
    "sandbox deletion": () => {
      const register = [...this.expected.keys()].find((one) => one.startsWith("sandbox extra-"));
      if (register === undefined) return this.#steps.sandbox();
      const path = { name: register.slice("sandbox ".length) };
      return this.#sendControl(
        exactly(register, undefined),
        () => this.control.DELETE("/_control/v1/sandboxes/{name}", { params: { path } }),
        () => this.expected.delete(register),
      );
    },
  };

  #changeMember(id: string, register: string, value: string, body: Record<string, unknown>): Promise<void> {
    const path = { collection: "members", id } as const;
    return this.#sendControl(
      exactly(register, value),
      () => this.control.PATCH("/_control/v1/records/{collection}/{id}", { params: { path }, body }),
      () => this.#set(register, value),
    );
  }

  #set(register: string, value: string): void {
    this.expected.set(register, value);
  }

  /** The own groups that are there, with their ids. */
  #groups(): (readonly [register: string, id: string])[] {
    return [...this.expected]
      .filter(([register]) => register.startsWith("group "))
      .map(([register, value]) => [register, value.slice(0, value.indexOf(","))] as const);
  }

  /** Sends a write through the SDK. `learn` gets the answer. */
  async #send<Result>(
    write: OpenWrite,
    request: () => Promise<Result>,
    learn: (result: Result) => unknown,
  ): Promise<void> {
    this.open.add(write);
    try {
      learn(await request());
      this.#acknowledge(write);
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      const { outcome } = error;
      // After an attempt that got lost, a name that is taken shows that it was carried out: no other client uses the name.
      write.isApplied = outcome === "applied" || (outcome === "unknown" && error instanceof ConflictError);
      if (outcome === "rejected") this.#log.unexpected.push(`A ${write.register} was refused: ${error.message}`);
      if (outcome === "rejected" || outcome === "not_sent") this.open.delete(write);
      else this.#log.counts["writes without an answer"] += 1;
    }
  }

  /** Sends a write through the control plane. `learn` gets the answer. */
  async #sendControl<Answer extends ControlAnswer>(
    write: OpenWrite,
    request: () => Promise<Answer>,
    learn: (data: NonNullable<Answer["data"]>) => unknown,
  ): Promise<void> {
    this.open.add(write);
    try {
      const { data, error, response } = await request();
      if (response.ok) learn(data as NonNullable<Answer["data"]>);
      else this.#log.unexpected.push(`A ${write.register} was refused: ${JSON.stringify(error)}`);
      this.#acknowledge(write);
    } catch (error) {
      if (isRefusal(error)) this.open.delete(write);
      else this.#log.counts["writes without an answer"] += 1;
    }
  }

  #acknowledge(write: OpenWrite): void {
    this.open.delete(write);
    this.#log.counts["acknowledged writes"] += 1;
  }
}
