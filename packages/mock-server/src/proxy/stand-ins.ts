import { inboxUrl } from "@call-transfer/backend";
import { limits } from "@call-transfer/spec";

/** Replaces secrets and personal data by invented values; the same value has the same replacement. */
export interface StandIns {
  /** Keeps a UUID, which says nothing about a person, and replaces any other id by one. */
  id(value: string): string;
  apiKey(value: string): string;
  signingSecret(destinationId: string): string;
  number(value: string): string;
  /** A name for the record with an id, such as `Group 1`. */
  name(kind: "Account" | "User" | "Destination" | "Group", id: string): string;
  /** The settings of a destination without texts other than phone numbers and URLs, which are replaced. */
  config(value: unknown): Record<string, unknown>;
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const phoneNumber = /^\+[1-9]\d{1,14}$/;

export function createStandIns(): StandIns {
  const counted = new Map<string, Map<string, number>>();
  /** Counts the values of a kind from 1. */
  const countOf = (kind: string, value: string): number => {
    const known = counted.get(kind) ?? new Map<string, number>();
    counted.set(kind, known);
    const number = known.get(value) ?? known.size + 1;
    known.set(value, number);
    return number;
  };
  const padded = (kind: string, value: string, length: number): string =>
    String(countOf(kind, value)).padStart(length, "0");
  const number = (value: string): string => `+1555${padded("number", value, 7)}`;
  return {
    id: (value) => (uuid.test(value) ? value : `00000000-0000-4000-8000-${padded("id", value, 12)}`),
    apiKey: (value) => `${limits.apiKeyPrefix}recorded${padded("key", value, 24)}`,
    signingSecret: (destinationId) => `recorded-signing-secret-${padded("secret", destinationId, 8)}`,
    number,
    name: (kind, id) => `${kind} ${countOf(kind, id)}`,
    config(value) {
      const fields = typeof value === "object" && value !== null ? Object.entries(value) : [];
      return Object.fromEntries(
        fields.flatMap(([name, setting]): [string, unknown][] => {
          if (typeof setting === "number" || typeof setting === "boolean") return [[name, setting]];
          if (typeof setting !== "string") return [];
          if (phoneNumber.test(setting)) return [[name, number(setting)]];
          // The mock server must not send its webhooks to the real receiver.
          return /^https?:/.test(setting) ? [[name, inboxUrl]] : [];
        }),
      );
    },
  };
}
