import { expect, it } from "vitest";
import { createBackend } from "../../src/backend.ts";
import { demo } from "../../src/data/demo-seed.ts";
import { send } from "../test-client.ts";

const { destinations } = demo;
const path = "POST /transfers/destination-groups";
const members = [{ destinationId: destinations.app }];

it("says that the name of a group is taken", async () => {
  const { body } = await send(createBackend(), path, { body: { name: demo.groupName, members } });
  expect(body).toMatchObject({ detail: "The account has a destination group of this name." });
});

it("says what is wrong with a destination of a group", async () => {
  const named = [...members, { destinationId: destinations.foreign }, ...members];
  const answer = await send(createBackend(), path, { body: { name: "A", members: named } });
  expect(answer.body).toMatchObject({
    errors: [{ message: "must be the id of a destination of this account" }, { message: "is in the list already" }],
  });
});
