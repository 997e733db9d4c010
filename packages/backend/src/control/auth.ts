import { decodeJwt } from "jose";
import { InputError } from "../model/input-error.ts";
import type { ApiKeyOptions } from "../testing/keys.ts";
import type { ControlHandlers } from "./control.ts";

// An address of a network that is reserved for documentation: nobody calls from there.
const documentationAddress = "192.0.2.1";

export const authHandlers = {
  async issueToken({ backend: { keys, state }, body: { userId, role, accountId, ...options } }) {
    const account = accountId ?? state.accounts.keys().next().value;
    if (accountId !== undefined && !state.accounts.has(accountId))
      throw new InputError("accountId", `no account has the id ${accountId}`);
    if (userId === undefined && role === undefined) throw new InputError("role", "give a role or a userId");
    const member = [...state.members.values()].find(
      (one) => one.accountId === account && (userId ?? one.userId) === one.userId && (role ?? one.role) === one.role,
    );
    const holder = userId ?? member?.userId;
    if (holder === undefined || (role !== undefined && member === undefined))
      throw new InputError("role", "nobody in the account has this role");
    const token = await keys.issueToken({ userId: holder, ...options });
    return {
      token,
      userId: holder,
      expiresAt: new Date((decodeJwt(token).exp ?? 0) * 1000).toISOString(),
      ...(member !== undefined && { accountId: member.accountId }),
    };
  },
  issueApiKey({ backend, body: { state, ...options } }) {
    return backend.keys.issueApiKey({ ...options, ...limitsOf(state) });
  },
} satisfies Partial<ControlHandlers>;

function limitsOf(
  state: ApiKeyOptions["state"] | "ip_restricted" | "insufficient_scope",
): Pick<ApiKeyOptions, "state" | "allowedIps" | "scopes"> {
  if (state === "ip_restricted") return { allowedIps: [documentationAddress] };
  if (state === "insufficient_scope") return { scopes: [] };
  return { state };
}
