// What each program with a generated client does against a mock server, and what it must print.
import { demo } from "@call-transfer/backend";
import type { MockServerOptions } from "@call-transfer/mock-server";

/** What a newer server may answer: a code that is not listed yet, under a status that only `default` describes. */
const newCode = { code: "code_of_tomorrow", status: 409, title: "Conflict", detail: "A newer server says more." };
/** The same for a field. */
const newFieldCode = {
  ...{ code: "validation_failed", status: 400, title: "Validation failed", detail: "The name is wrong." },
  errors: [{ field: "name", code: "field_code_of_tomorrow", message: "A newer server says more." }],
};
/** What the fault `unknown_enum_value` puts in the place of each value of an open list. */
const unknown = "value_of_a_newer_version";

/** One call at a time, so that the second one waits. What only a newer or a busy server answers comes from faults. */
export const serverOptions: MockServerOptions = {
  port: 0,
  clockMode: "frozen",
  policies: { concurrentCallLimit: 1 },
  faults: [
    { match: { operationId: "listAccounts" }, do: ["pass", { status: newCode.status, body: newCode }] },
    "listRoles pass, unknown_enum_value",
    "getMemberAvailability pass, unknown_enum_value",
    {
      match: { operationId: "createDestinationGroup" },
      do: ["pass", "pass", { status: newFieldCode.status, body: newFieldCode }, "unknown_enum_value"],
    },
    "rotateDestinationSecret pass, unknown_enum_value",
    { match: { operationId: "createCall" }, do: ["pass", "pass", { rateLimit: { retryAfterSecs: 7 } }] },
  ],
};

/** What a program knows of the server besides its address. */
export const environment = {
  CALL_TRANSFER_API_KEY: demo.apiKey,
  MEMBER_ID: demo.members.member,
  APP_ID: demo.destinations.app,
  PHONE_ID: demo.destinations.phone,
  FLOW_ID: demo.flows.published,
  FROM_NUMBER: demo.numbers.working,
  TO_NUMBER: demo.recipients.anyone,
} as const;

/** Operation, status, and what the program read from the parsed response. */
export const expectedLines: readonly string[] = [
  `listAccounts 200 ${demo.accountId}`,
  "listAccounts 409 code_of_tomorrow",
  "listRoles 200 agent member admin owner",
  `listRoles 200 ${unknown} ${unknown} ${unknown} ${unknown}`,
  "getMemberAvailability 200 away member",
  `getMemberAvailability 200 ${unknown} ${unknown}`,
  "createDestinationGroup 201 simultaneous 30",
  "createDestinationGroup 409 resource_already_exists",
  "createDestinationGroup 400 validation_failed name field_code_of_tomorrow",
  `createDestinationGroup 201 ${unknown} 30`,
  "rotateDestinationSecret 200 app",
  `rotateDestinationSecret 200 ${unknown}`,
  "deleteMemberHours 204",
  "createCall 201 initiated",
  "createCall 202 queued 1",
  "createCall 429 rate_limit_exceeded 7",
  "listCalls 200 2 of 5",
];
