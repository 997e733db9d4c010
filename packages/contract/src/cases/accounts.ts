import { accounts, users } from "../fixtures/names.ts";
import { casesFor } from "../suite/case.ts";
import { connect } from "../suite/client.ts";

const test = casesFor("accounts", ["authentication", "state"]);

export const accountCases = [
  test("a user sees their accounts, without X-Account-Id", async (target, check) => {
    const list = await (await connect(target, { userId: users.stranger })).accounts.list();
    check.equal(
      list.accounts.map(({ id, name }) => ({ id, name })),
      [{ id: accounts.foreign, name: "Twin of the home account" }],
      "accounts",
    );
  }),
  test("a member of several accounts sees each once", async (target, check) => {
    const list = await (await connect(target, { userId: users.owner })).accounts.list();
    const ids = list.accounts.map(({ id }) => id);
    check.equal(ids.toSorted(), [accounts.home, accounts.foreign, accounts.suspended].toSorted(), "accounts");
  }),
  test("a key sees the account it belongs to", async (target, check) => {
    const list = await (await connect(target, { keyAccountId: accounts.foreign })).accounts.list();
    check.equal(
      list.accounts.map(({ id }) => id),
      [accounts.foreign],
      "accounts",
    );
  }),
];
