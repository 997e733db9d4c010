import type { OperationDescription } from "@call-transfer/spec";
import { canonicalId, withCanonicalUuids } from "../utils/ids.ts";
import { isObject } from "../utils/values.ts";
import type { RequestFault, WebhookFault } from "./fault.ts";

/** What the criteria of a fault of requests are compared with. */
export interface RequestCriteria {
  readonly operation: OperationDescription;
  readonly url: URL;
  /** Names are looked up in lower case. */
  readonly headers: { get(name: string): string | null };
  /** The parsed body, if a fault asks for it. */
  readonly body?: unknown;
}

/** What the criteria of a fault of deliveries are compared with. */
export type DeliveryCriteria = { readonly [Name in keyof WebhookFault["webhooks"]]-?: unknown };

/** Whether a request meets the criteria of a fault, apart from those of the body. */
export function isRequestMatch(
  match: RequestFault["match"] = {},
  { operation, url, headers }: RequestCriteria,
): boolean {
  const { path } = match;
  return (
    (match.operationId ?? operation.id) === operation.id &&
    (match.method ?? operation.method).toUpperCase() === operation.method &&
    (path === undefined || path === operation.path || isLike(path, url.pathname)) &&
    Object.entries(match.headers ?? {}).every(([name, text]) => isLike(text, headers.get(name.toLowerCase()))) &&
    Object.entries(match.query ?? {}).every(([name, text]) =>
      url.searchParams.getAll(name).some((value) => isLike(text, value)),
    )
  );
}

/** Whether a parsed body meets the criteria of a fault. */
export function isBodyMatch({ body: fields = {} }: RequestFault["match"] = {}, body: unknown): boolean {
  return Object.entries(fields).every(([path, expected]) => {
    const value = fieldAt(body, path);
    const isScalar = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
    return typeof expected === "string" && isScalar ? isLike(expected, String(value)) : value === expected;
  });
}

/** Whether a delivery meets the criteria of a fault. */
export function isDeliveryMatch(
  { destinationId, url, transferId }: WebhookFault["webhooks"],
  delivery: DeliveryCriteria,
): boolean {
  return (
    (destinationId === undefined || canonicalId(destinationId) === delivery.destinationId) &&
    (url ?? delivery.url) === delivery.url &&
    (transferId === undefined || canonicalId(transferId) === delivery.transferId)
  );
}

/** Whether a text is like a pattern, in which `*` stands for any characters. UUIDs are the same in any case. */
export function isLike(wanted: string, given: string | null): boolean {
  if (given === null) return false;
  const [pattern, text] = [withCanonicalUuids(wanted), withCanonicalUuids(given)];
  const [first = "", ...others] = pattern.split("*");
  const last = others.pop();
  if (last === undefined) return text === pattern;
  if (!text.startsWith(first)) return false;
  let end = first.length;
  for (const part of others) {
    const found = text.indexOf(part, end);
    if (found === -1) return false;
    end = found + part.length;
  }
  return text.length - last.length >= end && text.endsWith(last);
}

/** The value of a field by its path, such as `members[0].destinationId`. Only own fields count. */
export function fieldAt(body: unknown, path: string): unknown {
  return path
    .split(/[.[\]]+/)
    .filter((part) => part !== "")
    .reduce<unknown>((node, part) => (isObject(node) && Object.hasOwn(node, part) ? node[part] : undefined), body);
}
