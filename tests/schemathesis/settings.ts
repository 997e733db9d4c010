// The configuration of Schemathesis: who calls, and records of the demo seed for what a schema cannot know.
import { demo } from "@call-transfer/backend";

/** Who sends the requests. */
export interface Caller {
  readonly name: string;
  /** What stands in `Authorization` after `Bearer`. */
  readonly credential: string;
}

const { destinations, members, flows, numbers, providers, recipients } = demo;

/** The value that succeeds, and others, less often. */
const mostly = (value: string, ...others: readonly string[]) => [...others.map(() => value), value, ...others];

/** Values by parameter. Most requests have one of these, the others what Schemathesis makes up. */
const records: Readonly<Record<string, readonly string[]>> = {
  "path.id": [destinations.app, destinations.phone, destinations.foreign],
  "path.memberId": [members.owner, members.agent, members.foreign],
  "body.flowId": mostly(flows.published, flows.draft, flows.foreign),
  "body.fromNumber": mostly(numbers.working, ...Object.values(numbers)),
  "body.providerId": mostly(providers.working, providers.rejecting),
  "body.toNumber": mostly(recipients.anyone, recipients.doNotCall, recipients.elsewhere),
  "body.members[*].destinationId": [destinations.app, destinations.phone, ...destinations.extra, destinations.foreign],
};

/** The configuration as TOML, in which texts and lists of texts are written as in JSON. */
export function settingsFor({ credential }: Caller, seed: number): string {
  const names = Object.keys(records);
  const lists = names.map((name, index) => `records-${index} = { values = ${JSON.stringify(records[name])} }`);
  const uses = names.map((name, index) => `"${name}" = { dictionary = "records-${index}", probability = 0.8 }`);
  return `seed = ${seed}
continue-on-failure = true
# A busy machine is slow.
suppress-health-check = ["all"]
[cache]
enabled = false
[generation]
database = "none"
no-shrink = true
[auth.openapi.bearerAuth]
bearer = ${JSON.stringify(credential)}
[dictionaries]
${lists.join("\n")}
[parameters]
"header.X-Account-Id" = ${JSON.stringify(demo.accountId)}
${uses.join("\n")}
`;
}
