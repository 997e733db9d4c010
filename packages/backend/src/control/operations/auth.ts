import type { ApiKeyOptions } from "../../contents/keys.ts";
import { claimsOf } from "../../http/checks/tokens.ts";
import { InputError } from "../../utils/input-error.ts";
import type { ControlHandlers } from "../parts/exchange.ts";

// An address of a network that is reserved for documentation, so no request comes from it.
const documentationAddress = "192.0.2.1";

export const authHandlers = {
  async issueToken({ backend: { keys, state }, body: { userId, role, accountId, ...options } }) {
    const account = accountId ?? state.accounts.keys().next().value;
    if (accountId !== undefined && !state.accounts.has(accountId))
      throw new InputError("accountId", `there is no account ${accountId}`);
    if (userId === undefined && role === undefined) throw new InputError("role", "is required unless userId is given");
    const member = [...state.members.values()].find(
      (candidate) =>
        candidate.accountId === account &&
        (userId ?? candidate.userId) === candidate.userId &&
        (role ?? candidate.role) === candidate.role,
    );
    const holder = userId ?? member?.userId;
    if (holder === undefined || (role !== undefined && member === undefined))
      throw new InputError(
        "role",
        userId === undefined
          ? `no member of the account has the role ${role}`
          : `user ${userId} does not have the role ${role} in the account`,
      );
    const token = await keys.issueToken({ userId: holder, ...options });
    return {
      token,
      userId: holder,
      expiresAt: new Date((claimsOf(token)?.expiresAt ?? 0) * 1000).toISOString(),
      ...(member !== undefined && { accountId: member.accountId }),
    };
  },
  issueApiKey({ backend, body: { state, ...options } }) {
    return backend.keys.issueApiKey({ ...options, ...restrictionsOf(state) });
  },
} satisfies Partial<ControlHandlers>;

function restrictionsOf(
  state: ApiKeyOptions["state"] | "ip_restricted" | "insufficient_scope",
): Pick<ApiKeyOptions, "state" | "allowedIps" | "scopes"> {
  if (state === "ip_restricted") return { allowedIps: [documentationAddress] };
  if (state === "insufficient_scope") return { scopes: [] };
  return { state };
}
