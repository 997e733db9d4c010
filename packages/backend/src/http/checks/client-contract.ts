import { contractMajor, contractTag } from "../../generated/contract.gen.ts";
import { type Problem, problem } from "../../utils/problem.ts";
import type { RequestHeaders } from "../transport/transport.ts";

/** What the clients say of themselves in `User-Agent`, unless the app replaces it. The limits keep long texts cheap. */
const client = /(?:^|\s)call-transfer-(sdk|python)\/(\S{1,64}) \(contract (\d{1,9})\)/;

/** A major that is not released yet, as npm or Python writes it: 2.0.0-next.1, 2.0.0.dev1, 2.0.0b1. */
const prerelease = /^\d+\.0\.0(?:-([a-z]+)\.|\.?(dev|a|b|rc))\d/;
const tagsInPython: Readonly<Record<string, string>> = { dev: "next", a: "alpha", b: "beta" };

/** The tag at npm of a prerelease; undefined for a released version. */
function tagOf(version: string): string | undefined {
  const [, tag, inPython = ""] = prerelease.exec(version) ?? [];
  return (tag ?? tagsInPython[inPython] ?? inPython) || undefined;
}

/** The contract that a server serves. */
interface Served {
  readonly major: number;
  /** The tag at npm of the major's prereleases; empty once it is released. */
  readonly tag: string;
}

// A major of the contract gives the SDK the same major. The Python client may have one of its own. A range such as ^2 and pip
// without --pre do not accept a prerelease.
const installs: Readonly<Record<string, (served: Served) => string>> = {
  sdk: ({ major, tag }) => `npm install @call-transfer/sdk@${tag || `^${major}`}`,
  python: ({ tag }) => `pip install --upgrade ${tag && "--pre "}call-transfer`,
};

/**
 * Refuses a client that was made for another major of the contract, as after an update of the SDK or the mock server alone. What it
 * sends and expects may be wrong here in any place, so its tests would prove nothing.
 */
export function refuseOtherContract(
  headers: RequestHeaders,
  served: Served = { major: contractMajor, tag: contractTag },
): Problem | undefined {
  const [, name = "", version = "", major] = client.exec(headers.get("user-agent") ?? "") ?? [];
  if (major === undefined || Number(major) === served.major) return undefined;
  const fix =
    Number(major) < served.major
      ? `Update the client: ${installs[name]?.(served)}`
      : `Update this server: npm install --save-dev @call-transfer/mock-server@${tagOf(version) ?? "latest"}`;
  return problem("bad_request", {
    detail: `The client is made for contract ${major}, and this server serves contract ${served.major}. ${fix}`,
  });
}
