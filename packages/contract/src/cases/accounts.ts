import { contractCase } from "../suite/case.ts";
import { connect } from "../suite/client.ts";
import { accounts, users } from "../world/world.ts";

const noun = "accounts";

export const accountCases = [
  contractCase({
    noun,
    name: "a user sees their accounts, without X-Account-Id",
    needs: ["auth", "stateful"],
    async run(target, check) {
      const list = await (await connect(target, { userId: users.stranger })).accounts.list();
      check.equal(
        list.accounts.map(({ id, name }) => ({ id, name })),
        [{ id: accounts.foreign, name: "Twin of the home account" }],
        "accounts",
      );
    },
  }),
  contractCase({
    noun,
    name: "a member of several accounts sees each once",
    needs: ["auth", "stateful"],
    async run(target, check) {
      const list = await (await connect(target, { userId: users.owner })).accounts.list();
      const ids = list.accounts.map(({ id }) => id);
      check.equal(ids.toSorted(), [accounts.home, accounts.foreign, accounts.suspended].toSorted(), "accounts");
    },
  }),
  contractCase({
    noun,
    name: "a key sees the account it belongs to",
    needs: ["auth", "stateful"],
    async run(target, check) {
      const list = await (await connect(target, { keyOf: accounts.foreign })).accounts.list();
      check.equal(
        list.accounts.map(({ id }) => id),
        [accounts.foreign],
        "accounts",
      );
    },
  }),
];
