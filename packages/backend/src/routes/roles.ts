import type { Handlers } from "../http/checks/exchange.ts";

export const roleHandlers = {
  /** Lists the built-in roles (§4.5). */
  listRoles: ({ state }) => ({ status: 200, body: { roles: [...state.roles.values()] } }),
} satisfies Handlers;
