import { isIP } from "node:net";
import { hostname } from "node:os";
import { bracketed, isLoopbackHost, unbracketed } from "../net/urls.ts";

/** Which host names a server accepts. Names are in lower case, IPv6 addresses in brackets. */
export interface HostRules {
  readonly names: ReadonlySet<string>;
  /** Ends of accepted names, such as `.mock.test`. */
  readonly suffixes: readonly string[];
  /** Whether names that only exist in private networks are accepted. */
  readonly isPrivateAccepted: boolean;
}

/** The names of this machine for itself. The Android emulator reaches it at 10.0.2.2. */
const loopbackNames = ["127.0.0.1", "localhost", "[::1]"];
const emulatorAddress = "10.0.2.2";

export function hostRules(host: string, allowed: readonly string[], publicUrl: string | undefined): HostRules {
  const isPrivateAccepted = !isLoopbackHost(host);
  const names = [
    ...loopbackNames,
    emulatorAddress,
    bracketed(host),
    ...allowed.filter((name) => !name.startsWith("*")),
  ];
  if (isPrivateAccepted) names.push(hostname());
  if (publicUrl !== undefined) names.push(new URL(publicUrl).hostname);
  return {
    names: new Set(names.map((name) => name.toLowerCase())),
    suffixes: allowed.filter((name) => name.startsWith("*")).map((name) => name.slice(1).toLowerCase()),
    isPrivateAccepted,
  };
}

/**
 * A name that cannot be registered, so that no page of the internet can have it: one without dots, or below a domain that
 * is reserved for private use (RFC 2606, 6761, 6762, 8375 and `.internal`).
 */
const privateName = /^[a-z0-9_-]+$|.\.(?:localhost|local|internal|test|home\.arpa)$/;

/**
 * Whether a host name, or a pattern, says that other machines send requests under it. A server on 127.0.0.1 gets them by
 * way of a tunnel or a proxy.
 */
export function isPublicName(pattern: string): boolean {
  const name = pattern.replace("*", "any").toLowerCase();
  return ![...loopbackNames, emulatorAddress].includes(name) && !privateName.test(name);
}

export function isAccepted(name: string, { names, suffixes, isPrivateAccepted }: HostRules): boolean {
  if (names.has(name)) return true;
  if (suffixes.some((suffix) => name.endsWith(suffix) && name.length > suffix.length)) return true;
  return isPrivateAccepted && (isIP(unbracketed(name)) !== 0 || privateName.test(name));
}

/** Whether a text is a host name without a port, or a pattern for all names below a domain. */
export function isHostPattern(text: string): boolean {
  return /^(?:\[[0-9a-f:.]+\]|(?:\*\.)?[a-z0-9_-][a-z0-9._-]*)$/i.test(text);
}
