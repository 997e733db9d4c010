import { contractMajor } from "../../generated/contract.gen.ts";
import { type Problem, problem } from "../../model/errors/problem.ts";
import type { RequestHeaders } from "../transport/transport.ts";

/** What the clients say of themselves in `User-Agent`, unless the app replaces it. The limits keep long texts cheap. */
const client = /(?:^|\s)call-transfer-(sdk|python)\/\S{1,64} \(contract (\d{1,9})\)/;

// A major of the contract gives the SDK the same major. The Python client may have one of its own.
const installs: Readonly<Record<string, (major: number) => string>> = {
  sdk: (major) => `npm install @call-transfer/sdk@^${major}`,
  python: () => "pip install --upgrade call-transfer",
};

/**
 * Refuses a client that was made for another major of the contract, as after an update of the SDK or the mock server alone. What it
 * sends and expects may be wrong here in any place, so its tests would prove nothing.
 */
export function refuseOtherContract(headers: RequestHeaders, served: number = contractMajor): Problem | undefined {
  const [, name = "", major] = client.exec(headers.get("user-agent") ?? "") ?? [];
  if (major === undefined || Number(major) === served) return undefined;
  const fix =
    Number(major) < served
      ? `Update the client: ${installs[name]?.(served)}`
      : "Update this server: npm install --save-dev @call-transfer/mock-server@latest";
  return problem("bad_request", {
    detail: `The client is made for contract ${major}, and this server serves contract ${served}. ${fix}`,
  });
}
