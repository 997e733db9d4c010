// Rings a group: a person answers, two decline, an app takes the call, and at last no one answers. In a clone:
//   npm run example -- examples/transfers.ts
import {
  createBackend,
  demo,
  inboxUrl,
  type NewTransfer,
} from "@call-transfer/mock-server/backend";
import { CallTransfer } from "@call-transfer/sdk";

const { phone, availableHumans: people, app } = demo.destinations;
const owner = demo.members.owner;
const names: Record<string, string> = {
  [phone]: "Reception",
  [app]: "Front desk app",
  [owner]: "Olivia",
};

const backend = createBackend();
// The built-in inbox answers the app's offers. It begins with a status that declines.
backend.collections.update("destinations", app, { config: { url: inboxUrl } });
backend.inbox.response = { status: 409 };

const client = new CallTransfer({
  baseUrl: "http://localhost",
  apiKey: demo.apiKey,
  fetch: backend.fetch,
});
const group = await client.destinationGroups.create({
  name: "Front desk",
  totalTimeoutSecs: 30,
  members: [
    { destinationId: phone, ringTimeoutSecs: 20 },
    { destinationId: people },
    { destinationId: app },
  ],
});

/** Rings the group, lets two minutes pass, and prints who rang from when to when, and how it ended. */
async function ring(
  what: string,
  script: NewTransfer["script"],
): Promise<void> {
  const { id, startedAt: begin } = backend.transfers.start({
    groupId: group.id,
    script,
  });
  await backend.advance({ by: 120_000 });
  const transfer = backend.transfers.get(id);
  console.log(
    `${what}: ${transfer?.answeredRingIndex === undefined ? transfer?.status : "connected"}`,
  );
  for (const {
    destinationId,
    memberId = "",
    startedAt,
    endsAt,
    outcome,
  } of transfer?.rings ?? []) {
    const name = names[memberId || destinationId];
    const [start, end] = [startedAt, endsAt].map((at) =>
      `${(at - begin) / 1000}`.padStart(2),
    );
    if (name)
      console.log(`  ${name.padEnd(14)} ${start} to ${end} s  ${outcome}`);
  }
}

await ring("Olivia answers", [{ memberId: owner, answerAfterSecs: 7 }]);
await ring("the reception declines, then Olivia", [
  { destinationId: phone, declineAfterSecs: 4 },
  { memberId: owner, declineAfterSecs: 9 },
]);
backend.inbox.response = { status: 204, delaySecs: 5 };
await ring("the app takes it", []);
backend.inbox.response = { status: 409 };
for (const time of ["first", "second", "third"])
  await ring(`no answer, the ${time} time`, []);
const { status, reason } = await client.members.getAvailability(owner);
console.log(`Olivia is ${status}, because of ${reason}`);
await ring("afterwards", []);
