import { describe, expect, expectTypeOf, it } from "vitest";
import { CallTransfer } from "../src/client.ts";
import type { UnknownResult } from "../src/core/api-promise.ts";
import { ApiError, isApiError } from "../src/errors/api-error.ts";
import { ConfigurationError } from "../src/errors/base.ts";
import {
  BadRequestError,
  ConflictError,
  GoneError,
  UnprocessableEntityError,
} from "../src/errors/status-errors.gen.ts";
import type {
  CallInitiated,
  CallQueued,
  CreateCallRequest,
  CreateDestinationGroupRequest,
  DestinationGroup,
  ErrorResponse,
  RoleList,
} from "../src/generated/models.gen.ts";
import type { AccessTokenOptions, ApiKeyOptions, ClientOptions, SharedClientOptions } from "../src/options/options.ts";
import type { RawClient } from "../src/raw.ts";
import { listCalls } from "../src/resources/calls.gen.ts";
import type { TransferOffer, UnknownWebhookEvent, WebhookEvent } from "../src/webhooks.ts";
import { clientOf, json } from "./test-server.ts";

type GroupBody = Parameters<CallTransfer["destinationGroups"]["create"]>[0];
type CallBody = Parameters<CallTransfer["calls"]["create"]>[0];

interface Placement {
  flowId: string;
  fromNumber: string;
  toNumber: string;
}

describe("the options of a client", () => {
  it("have an API key or an access token, not both", () => {
    const base = { baseUrl: "https://api.example.com" };
    expectTypeOf({ ...base, apiKey: "key" }).toExtend<ClientOptions>();
    expectTypeOf({ ...base, accessToken: "token" }).toExtend<ClientOptions>();
    expectTypeOf({ ...base, accessToken: async () => "token" }).toExtend<ClientOptions>();
    expectTypeOf<{ baseUrl: string; apiKey: string | undefined }>().toExtend<ClientOptions>();
    expectTypeOf<{ baseUrl: string; accessToken: string | undefined }>().toExtend<ClientOptions>();
    expectTypeOf<{ apiKey: string; accessToken: undefined }>().toExtend<ClientOptions>();
    expectTypeOf({ ...base, apiKey: "key", accessToken: "token" }).not.toExtend<ClientOptions>();
    expectTypeOf({ ...base, apiKey: "key", accessToken: async () => "token" }).not.toExtend<ClientOptions>();
    expectTypeOf<{ apiKey: string; accessToken: string }>().not.toExtend<Partial<ClientOptions>>();
    type Refused = "Pass either apiKey or accessToken, not both" | undefined;
    expectTypeOf<AccessTokenOptions["apiKey"] | ApiKeyOptions["accessToken"]>().toEqualTypeOf<Refused>();
    // @ts-expect-error only one of the two is allowed
    expect(() => new CallTransfer({ ...base, apiKey: "key", accessToken: "token" })).toThrow(ConfigurationError);
  });

  it("can be those of a function of one's own, which adds a credential", () => {
    const connect = (options: SharedClientOptions) =>
      new CallTransfer({ baseUrl: "https://api.example.com", apiKey: "key", ...options });
    expect(connect({ maxRetries: 0 })).toBeInstanceOf(CallTransfer);
    const replace = (client: CallTransfer, options: ClientOptions) => client.withOptions(options);
    expect(replace(connect({}), { accessToken: "token" })).toBeInstanceOf(CallTransfer);
  });
});

it("mistakes do not compile", () => {
  const client = {} as CallTransfer;
  const numbers = { fromNumber: "+15550100001", toNumber: "+15550100002" };
  const options = { baseUrl: "https://api.example.com", apiKey: "key" };
  const mistakes = [
    // @ts-expect-error no such option: timeoutMs
    () => new CallTransfer({ ...options, timeout: 30_000 }),
    // @ts-expect-error no such policy
    () => new CallTransfer({ ...options, retry: { onUnknownOutcome: "sometimes" } }),
    // @ts-expect-error no such option of a request: timeoutMs
    () => client.calls.create({ flowId: "f", ...numbers }, { timeoutSecs: 30 }),
    // @ts-expect-error no flow
    () => client.calls.create({ ...numbers }),
    // @ts-expect-error no such filter: startDate
    () => client.calls.list({ startdate: "2026-03-02T12:00:00Z" }),
    // @ts-expect-error a limit is a number
    () => listCalls(client, { limit: "50" }),
    // @ts-expect-error roles have no pages
    () => client.roles.list({ limit: 10 }),
    // @ts-expect-error the only strategy is simultaneous
    () => client.destinationGroups.create({ name: "Front desk", members: [], strategy: "sequential" }),
    // @ts-expect-error no such field of a member: destinationId
    () => client.destinationGroups.create({ name: "Front desk", members: [{ destinationID: "d" }] }),
    // @ts-expect-error the id is missing
    () => client.members.deleteHours(),
    // @ts-expect-error no such field of a call: duration
    async () => (await client.calls.list()).calls[0]?.durration,
    // @ts-expect-error the data of a failure
    async () => (await client.roles.list().result()).data.roles,
    // @ts-expect-error a code of another version, which would keep known codes from narrowing
    (error: unknown) => error instanceof ApiError && error.code === "code_of_tomorrow",
    // @ts-expect-error a code of another status
    (error: unknown) => error instanceof ConflictError && error.code === "queue_full",
  ];
  expect(mistakes).toHaveLength(14);
});

it("a code of a newer API is compared in the body of the error", () => {
  const request = { method: "GET", url: "https://api.example.com/api/v1/roles", attempts: [] };
  const error: unknown = new ApiError({ ...request, status: 418, body: { code: "code_of_tomorrow" } } as never);
  expect(error instanceof ApiError && error.body?.code === "code_of_tomorrow").toBe(true);
});

it("each class of a status may have a code that the specification gives no status", () => {
  // Each line would be TS2367 if the class left the code out.
  const checks = [
    (error: unknown) => error instanceof ConflictError && error.code === "offer_taken",
    (error: unknown) => error instanceof ConflictError && error.code === "already_taken",
    (error: unknown) => error instanceof GoneError && error.code === "offer_expired",
    (error: unknown) => error instanceof UnprocessableEntityError && error.code === "takeover_unsupported",
    (error: unknown) => isApiError(error) && error instanceof BadRequestError && error.code === "unsupported_kind",
  ];
  const request = { method: "POST", url: "https://api.example.com/api/v1/calls", attempts: [] };
  const taken = new ConflictError({ ...request, status: 409, body: { code: "offer_taken" } } as never);
  expect(checks.map((check) => check(taken))).toEqual([true, false, false, false, false]);
});

it("a check of type narrows what a placement returns, and leaves types that this version does not know", () => {
  const textOf = (placed: CallInitiated | CallQueued | UnknownResult): string => {
    switch (placed.type) {
      case "initiated":
        return placed.callId;
      case "queued":
        return placed.position.toFixed();
      default:
        expectTypeOf(placed).toEqualTypeOf<UnknownResult>();
        return placed.type;
    }
  };
  // @ts-expect-error a result of another type may have no position
  const wrong = (placed: CallInitiated | CallQueued | UnknownResult) => placed.type !== "initiated" && placed.position;
  expect(wrong).toBeTypeOf("function");
  expect(textOf({ type: "scheduled" } as never)).toBe("scheduled");
});

it("a check of type narrows a webhook's event, and leaves types that this version does not know", () => {
  const appOf = (event: WebhookEvent): unknown => {
    if (event.type === "transfer.offer") return expectTypeOf(event).toEqualTypeOf<TransferOffer>();
    expectTypeOf(event).toEqualTypeOf<UnknownWebhookEvent>();
    return event.appId;
  };
  expect(appOf({ type: "transfer.ended", appId: "a" } as never)).toBe("a");
});

describe("createRawClient()", () => {
  it("has the types of the operations' data and errors", () => {
    const api = {} as RawClient;
    const roles = async () => (await api.GET("/api/v1/roles")).data;
    expectTypeOf(roles).returns.resolves.toEqualTypeOf<RoleList | undefined>();
    type RoleName = NonNullable<Awaited<ReturnType<typeof roles>>>["roles"][number]["role"];
    expectTypeOf<RoleName>().toExtend<string>();
    expectTypeOf<string>().toExtend<RoleName>();
    const place = (body: CreateCallRequest) => api.POST("/api/v1/calls", { body });
    type Placed = Awaited<ReturnType<typeof place>>;
    expectTypeOf<Placed["data"]>().toEqualTypeOf<CallInitiated | CallQueued | UnknownResult | undefined>();
    expectTypeOf<Placed["error"]>().toEqualTypeOf<ErrorResponse | undefined>();
    const create = (body: CreateDestinationGroupRequest) => api.POST("/api/v1/transfers/destination-groups", { body });
    expectTypeOf<Awaited<ReturnType<typeof create>>["data"]>().toEqualTypeOf<DestinationGroup | undefined>();
    const text = () => api.GET("/api/v1/roles", { parseAs: "text" });
    expectTypeOf<Awaited<ReturnType<typeof text>>["data"]>().toEqualTypeOf<string | undefined>();
    const remove = () =>
      api.DELETE("/api/v1/transfers/members/{memberId}/hours", {
        params: { path: { memberId: "m" } },
        maxRetries: 0,
      });
    expectTypeOf(remove).returns.resolves.toHaveProperty("response");
    // @ts-expect-error the path has no such method
    expectTypeOf(() => api.PUT("/api/v1/roles")).toBeFunction();
    // @ts-expect-error the id is missing
    expectTypeOf(() => api.DELETE("/api/v1/transfers/members/{memberId}/hours")).toBeFunction();
    // @ts-expect-error the body is missing
    expectTypeOf(() => api.POST("/api/v1/calls", {})).toBeFunction();
  });
});

describe("a body", () => {
  it("may be of its exported type", () => {
    expectTypeOf<CreateCallRequest>().toExtend<CallBody>();
    expectTypeOf<CreateDestinationGroupRequest>().toExtend<GroupBody>();
  });

  it("may have a read-only list of read-only items", () => {
    const body = { name: "Front desk", members: [{ destinationId: "d", ringTimeoutSecs: 20 }] } as const;
    expectTypeOf(body).toExtend<GroupBody>();
    expectTypeOf<Omit<GroupBody, "members"> & { members: readonly string[] }>().not.toExtend<GroupBody>();
  });

  it("may have fields without a name, unless it is written on the spot", async () => {
    expectTypeOf<Placement>().toExtend<CallBody>();
    expectTypeOf<Placement & { campaign: string }>().toExtend<CallBody>();
    expectTypeOf<Omit<Placement, "flowId">>().not.toExtend<CallBody>();
    expectTypeOf<Omit<Placement, "flowId"> & { flowId: number }>().not.toExtend<CallBody>();
    const { client, sent } = clientOf([
      json(201, { type: "initiated", callId: "c" }),
      json(201, { type: "initiated", callId: "c" }),
    ]);
    const campaign = { flowId: "f", fromNumber: "+15550100", toNumber: "+15550101", campaign: "spring" };
    await client.calls.create(campaign);
    // @ts-expect-error a call has no such field
    await client.calls.create({ flowId: "f", fromNumber: "+15550100", toNumber: "+15550101", campain: "spring" });
    expect(sent.map(({ init }) => String(init.body))).toEqual([
      expect.stringContaining('"campaign":"spring"'),
      expect.stringContaining('"campain":"spring"'),
    ]);
  });
});
