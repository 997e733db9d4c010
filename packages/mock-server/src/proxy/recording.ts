import type { Seed } from "@call-transfer/backend";
import { seedSchema } from "@call-transfer/backend/unstable";
import type { Exchange } from "./exchange.ts";
import { accountNamed, type Fields, listAt, type Owner, ownerOf, readers, type Seen } from "./read-answers.ts";
import { createStandIns } from "./stand-ins.ts";

/** What a session with an API showed, as a seed. */
export interface Recording {
  add(exchange: Exchange): void;
  /** The records seen so far, with invented values for secrets and personal data. A backend can start with it. */
  seed(): Seed;
}

export function createRecording(): Recording {
  const seen: Seen = {
    standIns: createStandIns(),
    accounts: new Map(),
    roles: new Map(),
    keys: new Map(),
    owned: {
      members: new Map(),
      destinations: new Map(),
      groups: new Map(),
      flows: new Map(),
      providers: new Map(),
      numbers: new Map(),
      calls: new Map(),
    },
  };
  return {
    add(exchange) {
      const { operation, status, responseContent } = exchange;
      if (operation === undefined || status < 200 || status > 299) return;
      const answer = responseContent !== undefined && "value" in responseContent ? responseContent.value : undefined;
      const owner = ownerOf(exchange);
      if (owner !== undefined && "key" in owner && !seen.keys.has(owner.key)) seen.keys.set(owner.key, undefined);
      readers[operation.id]?.({ seen, exchange, owner, answer });
    },
    seed: () => seedOf(seen),
  };
}

/** The seed of what was seen. A record that the API showed in a form that a seed does not have is left out. */
function seedOf({ accounts, roles, keys, owned, standIns }: Seen): Seed {
  const usedAccounts = new Map(accounts);
  const accountOf = (owner: Owner): string => {
    const id = "accountId" in owner ? owner.accountId : (keys.get(owner.key) ?? `account of ${owner.key}`);
    if (!usedAccounts.has(id)) usedAccounts.set(id, accountNamed({ standIns }, id));
    return standIns.id(id);
  };
  const records: Readonly<Record<string, readonly Fields[]>> = Object.fromEntries(
    Object.entries(owned).map(([collection, list]) => {
      const all = [...list.values()].map(({ owner, fields }) => ({
        ...withoutAbsent(fields),
        accountId: accountOf(owner),
      }));
      return [collection, all.filter((record) => isValid(collection, record))];
    }),
  );
  const destinations = new Set((records.destinations ?? []).map(({ id, accountId }) => `${id} ${accountId}`));
  const groups = (records.groups ?? []).filter(({ accountId, members }) =>
    listAt({ members }, "members").every(({ destinationId }) => destinations.has(`${destinationId} ${accountId}`)),
  );
  const apiKeys = [...keys.keys()].map((key) => ({ key: standIns.apiKey(key), accountId: accountOf({ key }) }));
  const userIds = [...new Set((records.members ?? []).map((member) => String(member.userId)))];
  const seed: Readonly<Record<string, readonly unknown[]>> = {
    accounts: [...usedAccounts.values()],
    users: userIds.map((id) => ({ id, name: standIns.name("User", id) })),
    ...records,
    groups,
    apiKeys,
    roles: [...roles.values()].filter((role) => isValid("roles", role)),
  };
  return seedSchema.parse(Object.fromEntries(Object.entries(seed).filter(([, list]) => list.length > 0)));
}

function withoutAbsent(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function isValid(collection: string, record: Fields): boolean {
  return seedSchema.safeParse({ [collection]: [record] }).success;
}
