import type { Handlers } from "../http/checks/exchange.ts";

export const accountHandlers = {
  /** Lists the accounts of the user's memberships, or the account of the key (§4.6, A-10). */
  listAccounts({ state, caller }) {
    const accessible = new Set<string>();
    if (caller.kind === "key") accessible.add(caller.key.accountId);
    else
      for (const member of state.members.values())
        if (member.userId === caller.userId) accessible.add(member.accountId);
    const accounts = [...state.accounts.values()].filter(({ id }) => accessible.has(id));
    return { status: 200, body: { accounts: accounts.map(({ id, name }) => ({ id, name })) } };
  },
} satisfies Handlers;
