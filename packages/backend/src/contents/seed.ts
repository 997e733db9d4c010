import * as z from "zod";
import { type CollectionName, recordSchemas } from "../model/records/records.ts";

const listOf = <Schema extends z.ZodType>(schema: Schema) => z.array(schema).optional();

type Lists = { [Name in CollectionName]: z.ZodOptional<z.ZodArray<(typeof recordSchemas)[Name]>> };

/** The schema of a seed: what a backend knows at its start or gets later, as JSON. References must resolve; ids are UUIDs. */
export const seedSchema: z.ZodObject<Lists, z.core.$strict> = z.strictObject({
  accounts: listOf(recordSchemas.accounts),
  users: listOf(recordSchemas.users),
  /** Memberships: a user in an account, with a role. */
  members: listOf(recordSchemas.members),
  /** An `app` destination without a `signingSecret` gets a generated one. */
  destinations: listOf(recordSchemas.destinations),
  groups: listOf(recordSchemas.groups),
  flows: listOf(recordSchemas.flows),
  /** Telephony providers. */
  providers: listOf(recordSchemas.providers),
  /** The numbers that an account owns. */
  numbers: listOf(recordSchemas.numbers),
  contacts: listOf(recordSchemas.contacts),
  /** Calls of the past, in progress (`in_progress`) or waiting (`queued`). */
  calls: listOf(recordSchemas.calls),
  /** A key without `key` or `id` gets generated ones. */
  apiKeys: listOf(recordSchemas.apiKeys),
  /** The permissions of built-in roles, where they differ from the default table. */
  roles: listOf(recordSchemas.roles),
});

/** What a backend knows at its start, or gets later. */
export type Seed = z.input<typeof seedSchema> & { readonly $schema?: string };

/** A seed that passed the schema, with defaults in place. */
export type CheckedSeed = z.output<typeof seedSchema>;
