import { builtInRoles } from "../document/expected.ts";
import { casesFor } from "../suite/case.ts";
import { connect, homeUser } from "../suite/client.ts";

const test = casesFor("roles");
const signedIn = casesFor("roles", ["authentication"]);

export const roleCases = [
  test("the list holds every built-in role once", async (target, check) => {
    const list = await (await connect(target)).roles.list();
    check.equal(list.roles.map(({ role }) => role).toSorted(), builtInRoles.toSorted(), "roles");
  }),
  test("every role has permissions, without duplicates", async (target, check) => {
    const list = await (await connect(target)).roles.list();
    for (const { role, permissions } of list.roles) {
      check.isTrue(permissions.length > 0, `${role} has permissions`);
      check.equal(new Set(permissions).size, permissions.length, `distinct permissions of ${role}`);
    }
  }),
  signedIn("every user of the account gets the same list", async (target, check) => {
    const asOwner = await (await connect(target)).roles.list();
    const asAgent = await (await connect(target, homeUser("agent"))).roles.list();
    check.equal(asAgent, asOwner, "roles");
  }),
];
