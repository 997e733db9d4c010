import type { Backend } from "@call-transfer/backend";

/** A record of each kind that a first request needs. Kinds that the account does not have are absent. */
export interface FirstIds {
  /** An enabled destination: the first `app`, otherwise the first of any kind. */
  readonly destinationId?: string;
  readonly groupId?: string;
  readonly memberId?: string;
  /** A published flow. */
  readonly flowId?: string;
  /** A number that calls can be placed from. */
  readonly fromNumber?: string;
}

/** Finds the records of an account that a first request needs. */
export function firstIds({ state }: Pick<Backend, "state">, accountId: string): FirstIds {
  const own = <Kind extends { readonly accountId: string }>(records: Iterable<Kind>): Kind[] =>
    [...records].filter((record) => record.accountId === accountId);
  const destinations = own(state.destinations.values()).filter(({ enabled }) => enabled);
  const number = own(state.numbers.values()).find(({ active, verified, canInitiateCalls, providerId = "" }) => {
    const provider = state.providers.get(providerId);
    return active && verified && canInitiateCalls && provider?.rejects !== true && provider?.active !== false;
  });
  const found: Readonly<Record<keyof FirstIds, string | undefined>> = {
    destinationId: (destinations.find(({ kind }) => kind === "app") ?? destinations[0])?.id,
    groupId: own(state.groups.values())[0]?.id,
    memberId: own(state.members.values())[0]?.id,
    flowId: own(state.flows.values()).find(({ published }) => published)?.id,
    fromNumber: number?.number,
  };
  return Object.fromEntries(Object.entries(found).filter(([, id]) => id !== undefined));
}
