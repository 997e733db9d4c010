import { lookup } from "node:dns/promises";
import { InputError } from "@call-transfer/backend";
import { isHttp, unbracketed } from "../net/urls.ts";
import { isOwnSocket } from "../server/own-address.ts";

/** Parses the base URL of an API. Throws InputError that names the option. */
export function readTarget(option: string, address: string): URL {
  if (typeof address !== "string" || !isHttp(address))
    throw new InputError(
      option,
      "must be an http or https URL without user name and password, such as https://staging.example.com",
    );
  const url = new URL(address);
  if (url.search !== "" || url.hash !== "") throw new InputError(option, "must not have a query or a fragment");
  if (/\/api\/v1\/?$/.test(url.pathname)) throw new InputError(option, "must not include /api/v1. Remove it");
  return url;
}

/** Whether a target is the server's own socket. A name that does not resolve now may do so later. */
export async function isItself(target: URL, host: string, port: number): Promise<boolean> {
  const targetPort = Number(target.port) || (target.protocol === "https:" ? 443 : 80);
  const [bound = [], addresses = []] = await Promise.all(
    [host, target.hostname].map((name) => lookup(unbracketed(name), { all: true }).catch(() => [])),
  );
  return bound.some((own) => addresses.some(({ address }) => isOwnSocket({ ...own, port }, address, targetPort)));
}
