import {
  type ControlAddress,
  createControlClient,
  dataAs,
  dataOf,
  headersOf,
  type Schema,
} from "@call-transfer/backend/control-client";

/** A request to the API and its response in short. */
export type RequestEntry = Schema<"RequestEntry">;
/** A request with its headers, bodies, changes and the rule that decided. */
export type RequestDetail = Schema<"RequestDetail">;
/** A delivery of a webhook. */
export type Delivery = Schema<"Delivery">;
/** A transfer as the control plane shows it. */
export type Transfer = Schema<"Transfer">;
/** The ringing of one destination, or of one member behind it. */
export type Ring = Schema<"Ring">;
/** A member's availability now. */
export type Availability = Schema<"Availability">;
/** A timer or an expiry of the sandbox's clock. */
export type Timer = Schema<"UpcomingTimer">;
/** The clock of a sandbox, with the timers that are due. */
export type Clock = Schema<"Clock">;
/** The statuses and codes that each operation documents and has returned. */
export type Coverage = Schema<"Coverage">;
/** A fault that is active. */
export type ActiveFault = Schema<"FaultList">["faults"][number];
/** A policy with its description, its value and its default. */
export type Policy = Schema<"PolicyList">["policies"][number];
/** The name of a collection of records. */
export type Collection = Schema<"Collection">;
/** A record in the form of a seed. */
export type StateRecord = Readonly<Record<string, unknown>>;
/** A step of the clock: by milliseconds, to a time, or to the next timer. */
export type ClockStep = Schema<"ClockStep">;
/** The sandboxes in short. */
export type SandboxSummary = Schema<"SandboxSummary">;
/** The state of an API key to create. */
export type KeyState = NonNullable<Schema<"NewApiKey">["state"]>;
/** A role of a member. */
export type Role = Schema<"Role">;

/** What rings: a destination, or a member behind it. */
export type Callee = { readonly memberId: string } | { readonly destinationId: string };

/** A scenario and what it does. */
export interface Scenario {
  readonly name: Schema<"ScenarioName">;
  readonly description: string;
}

interface ScenarioDocument {
  readonly components: {
    readonly schemas: {
      readonly ScenarioName: {
        readonly oneOf: readonly { readonly const: Scenario["name"]; readonly description: string }[];
      };
    };
  };
}

/** The control plane of one sandbox. */
export type Control = ReturnType<typeof createControl>;

/**
 * Creates the functions with which the page reads and changes a sandbox. Each throws an Error with the control plane's message
 * for a refusal.
 */
export function createControl(address: ControlAddress) {
  const client = createControlClient(address);
  const at = (id: string) => ({ params: { path: { id } } });
  return {
    ...eventCalls(client),
    ...recordCalls(client),
    ...sandboxCalls(client),
    async clock(): Promise<Clock> {
      return dataAs<"Clock">(await client.GET("/_control/v1/clock"));
    },
    async setClock(body: Schema<"ClockSetting">) {
      dataOf(await client.PATCH("/_control/v1/clock", { body }));
    },
    async advance(body: ClockStep) {
      dataOf(await client.POST("/_control/v1/clock/advance", { body }));
    },
    async transfers(): Promise<readonly Transfer[]> {
      return dataAs<"TransferList">(await client.GET("/_control/v1/transfers")).transfers;
    },
    async startTransfer(body: Schema<"NewTransfer">): Promise<Transfer> {
      return dataAs<"Transfer">(await client.POST("/_control/v1/transfers", { body }));
    },
    async answer(id: string, body: Callee) {
      dataOf(await client.POST("/_control/v1/transfers/{id}/answer", { ...at(id), body }));
    },
    async decline(id: string, body: Callee) {
      dataOf(await client.POST("/_control/v1/transfers/{id}/decline", { ...at(id), body }));
    },
    async availability(): Promise<readonly Availability[]> {
      return dataAs<"AvailabilityList">(await client.GET("/_control/v1/members/availability")).members;
    },
    async coverage(): Promise<Coverage> {
      return dataAs<"Coverage">(await client.GET("/_control/v1/coverage"));
    },
    async faults(): Promise<readonly ActiveFault[]> {
      return dataAs<"FaultList">(await client.GET("/_control/v1/faults", { params: { query: { redact: true } } }))
        .faults;
    },
    async addFault(text: string): Promise<string> {
      return dataOf(await client.POST("/_control/v1/faults", { body: { text } })).id;
    },
    async deleteFault(id: string) {
      dataOf(await client.DELETE("/_control/v1/faults", { params: { query: { id } } }));
    },
    async deleteFaults() {
      dataOf(await client.DELETE("/_control/v1/faults"));
    },
    /** The scenarios, as the document of the control plane describes them. */
    async scenarios(): Promise<readonly Scenario[]> {
      const document = dataOf(await client.GET("/_control/v1/openapi.json")) as unknown as ScenarioDocument;
      return document.components.schemas.ScenarioName.oneOf.map((one) => ({
        name: one.const,
        description: one.description,
      }));
    },
    async applyScenario(name: Scenario["name"]) {
      dataOf(await client.POST("/_control/v1/scenarios/{name}", { params: { path: { name } } }));
    },
    async policies(): Promise<readonly Policy[]> {
      return dataAs<"PolicyList">(await client.GET("/_control/v1/policies")).policies;
    },
    async setPolicy(name: string, value: unknown) {
      dataOf(await client.PATCH("/_control/v1/policies", { body: { [name]: value } }));
    },
    async createAccessToken(body: Schema<"NewToken">): Promise<Schema<"Token">> {
      return dataAs<"Token">(await client.POST("/_control/v1/credentials/access-tokens", { body }));
    },
    async createApiKey(state: KeyState): Promise<string> {
      return dataAs<"ApiKey">(await client.POST("/_control/v1/credentials/api-keys", { body: { state } })).key;
    },
  };
}

type Client = ReturnType<typeof createControlClient>;

/** Requests, deliveries and events. */
const eventCalls = (client: Client) => ({
  /** The requests, oldest first; with a limit the latest. */
  async requests(limit?: number): Promise<readonly RequestEntry[]> {
    const query = limit === undefined ? {} : { limit };
    return dataAs<"RequestList">(await client.GET("/_control/v1/requests", { params: { query } })).requests;
  },
  async request(id: string): Promise<RequestDetail> {
    return dataAs<"RequestDetail">(await client.GET("/_control/v1/requests/{id}", { params: { path: { id } } }));
  },
  async replay(id: string): Promise<RequestDetail> {
    return dataAs<"RequestDetail">(
      await client.POST("/_control/v1/requests/{id}/replay", { params: { path: { id } } }),
    );
  },
  async clearRequests() {
    dataOf(await client.DELETE("/_control/v1/requests"));
  },
  /** The deliveries, oldest first, and the URL that they are forwarded to. */
  async deliveries(limit?: number): Promise<Schema<"DeliveryList">> {
    const query = { redact: true, ...(limit !== undefined && { limit }) };
    return dataAs<"DeliveryList">(await client.GET("/_control/v1/webhooks/deliveries", { params: { query } }));
  },
  /** One delivery whole, with its signatures; undefined if it is not kept. */
  async delivery(id: string): Promise<Delivery | undefined> {
    const result = await client.GET("/_control/v1/webhooks/deliveries", { params: { query: { id } } });
    return dataAs<"DeliveryList">(result).deliveries[0];
  },
  async redeliver(id: string): Promise<Delivery> {
    const params = { path: { id } };
    return dataAs<"Delivery">(await client.POST("/_control/v1/webhooks/deliveries/{id}/redeliver", { params }));
  },
  async sendOffer(destinationId: string): Promise<Delivery> {
    return dataAs<"Delivery">(await client.POST("/_control/v1/webhooks/trigger", { body: { destinationId } }));
  },
  async inboxUrl(): Promise<string> {
    const query = { redact: true };
    return dataAs<"Inbox">(await client.GET("/_control/v1/webhooks/inbox", { params: { query } })).url;
  },
  async latestEvents(limit: number): Promise<readonly Schema<"Event">[]> {
    return dataAs<"EventList">(await client.GET("/_control/v1/events", { params: { query: { limit } } })).events;
  },
});

/** Records, by their collections. */
const recordCalls = (client: Client) => ({
  /** The records without their secrets. */
  async records(collection: Collection): Promise<readonly StateRecord[]> {
    const params = { path: { collection }, query: { redact: true } };
    return dataAs<"RecordList">(await client.GET("/_control/v1/records/{collection}", { params })).records;
  },
  /** One record whole; undefined if there is none. */
  async record(collection: Collection, id: string): Promise<StateRecord | undefined> {
    const params = { path: { collection }, query: { id } };
    return dataAs<"RecordList">(await client.GET("/_control/v1/records/{collection}", { params })).records[0];
  },
  async createRecord(collection: Collection, body: StateRecord): Promise<StateRecord> {
    return dataOf(await client.POST("/_control/v1/records/{collection}", { params: { path: { collection } }, body }));
  },
  async updateRecord(collection: Collection, id: string, body: StateRecord): Promise<StateRecord> {
    const params = { path: { collection, id } };
    return dataOf(await client.PATCH("/_control/v1/records/{collection}/{id}", { params, body }));
  },
  async deleteRecord(collection: Collection, id: string) {
    dataOf(await client.DELETE("/_control/v1/records/{collection}/{id}", { params: { path: { collection, id } } }));
  },
});

/** Sandboxes, their reset and their snapshots. */
const sandboxCalls = (client: Client) => ({
  async sandboxes(): Promise<readonly SandboxSummary[]> {
    return dataAs<"SandboxList">(await client.GET("/_control/v1/sandboxes")).sandboxes;
  },
  async createSandbox(name: string) {
    dataOf(await client.POST("/_control/v1/sandboxes", { headers: headersOf(name), body: { name } }));
  },
  async deleteSandbox(name: string) {
    const params = { path: { name } };
    dataOf(await client.DELETE("/_control/v1/sandboxes/{name}", { params, headers: headersOf(name) }));
  },
  async reset() {
    dataOf(await client.POST("/_control/v1/reset"));
  },
  async snapshot(): Promise<unknown> {
    return dataOf(await client.GET("/_control/v1/snapshot"));
  },
  /** Replaces the state. The control plane checks the snapshot. */
  async restore(snapshot: unknown) {
    dataOf(await client.PUT("/_control/v1/snapshot", { body: snapshot as Schema<"Snapshot"> }));
  },
  /** Adds the records of a seed. The control plane checks it. */
  async seed(seed: unknown) {
    dataOf(await client.POST("/_control/v1/seed", { body: seed as Schema<"Seed"> }));
  },
});
