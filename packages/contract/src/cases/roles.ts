import { builtInRoles } from "../document/expected.ts";
import { contractCase } from "../suite/case.ts";
import { connect, homeUser } from "../suite/client.ts";

const noun = "roles";

export const roleCases = [
  contractCase({
    noun,
    name: "the list holds every built-in role once",
    needs: [],
    async run(target, check) {
      const list = await (await connect(target)).roles.list();
      check.equal(list.roles.map(({ role }) => role).toSorted(), builtInRoles.toSorted(), "roles");
    },
  }),
  contractCase({
    noun,
    name: "every role has permissions, without duplicates",
    needs: [],
    async run(target, check) {
      const list = await (await connect(target)).roles.list();
      for (const { role, permissions } of list.roles) {
        check.isTrue(permissions.length > 0, `${role} has permissions`);
        check.equal(new Set(permissions).size, permissions.length, `distinct permissions of ${role}`);
      }
    },
  }),
  contractCase({
    noun,
    name: "every user of the account gets the same list",
    needs: ["auth"],
    async run(target, check) {
      const asOwner = await (await connect(target)).roles.list();
      const asAgent = await (await connect(target, homeUser("agent"))).roles.list();
      check.equal(asAgent, asOwner, "roles");
    },
  }),
];
