// Which proxy a request goes through, by an option or by the environment.
import { BlockList, isIP, isIPv6 } from "node:net";

export interface ProxyServer {
  /** Without the credentials that its address may contain. */
  readonly url: URL;
  /** Header of a request to it. */
  readonly headers: { readonly "proxy-authorization"?: string };
}

type Environment = Readonly<Record<string, string | undefined>>;

function decoded(text: string, name: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new TypeError(`${name} has a user or a password with a % that encodes nothing. Write %25 for a %.`);
  }
}

/** Messages never contain the address, which may contain a password. */
function parse(address: string, name: string): ProxyServer {
  // The environment often has it without a scheme.
  const full = /^[a-z][a-z\d+.-]*:\/\//i.test(address) ? address : `http://${address}`;
  if (!URL.canParse(full))
    throw new TypeError(`${name} is not a URL. Set it to one such as http://proxy.example.com:3128.`);
  const url = new URL(full);
  if (!/^https?:$/.test(url.protocol))
    throw new TypeError(`${name} has the scheme ${url.protocol} Set it to an http: or https: URL.`);
  const [user, password] = [decoded(url.username, name), decoded(url.password, name)];
  url.username = url.password = "";
  if (!user && !password) return { url, headers: {} };
  const credentials = Buffer.from(`${user}:${password}`).toString("base64");
  return { url, headers: { "proxy-authorization": `Basic ${credentials}` } };
}

/** An IPv6 address as sockets take it. */
export const withoutBrackets = (host: string): string => (host.startsWith("[") ? host.slice(1, -1) : host);

/** Whether an entry of `NO_PROXY` is a range of addresses, such as `10.0.0.0/8`, that contains the host. */
function isInRange(entry: string, host: string): boolean {
  const [address = "", prefix = ""] = entry.split("/");
  const kind = (text: string) => (isIPv6(text) ? "ipv6" : "ipv4");
  if (!isIP(address) || !isIP(host) || !/^\d{1,3}$/.test(prefix)) return false;
  try {
    const range = new BlockList();
    range.addSubnet(address, Number(prefix), kind(address));
    return range.check(host, kind(host));
  } catch {
    // The prefix is longer than the address.
    return false;
  }
}

/** Whether an entry of `NO_PROXY` names a host: itself, a domain or a range that contains it, or `*`; with a port, only there. */
function excludes(entry: string, { hostname, port, protocol }: URL): boolean {
  if (entry === "*" || isInRange(entry, withoutBrackets(hostname))) return true;
  const [, name = entry, entryPort] = isIPv6(entry) ? [] : (/^(.*?)(?::(\d+))?$/.exec(entry) ?? []);
  if (entryPort && entryPort !== (port || (protocol === "https:" ? "443" : "80"))) return false;
  const domain = withoutBrackets(name.replace(/^\*?\./, "").toLowerCase());
  return withoutBrackets(hostname) === domain || hostname.endsWith(`.${domain}`);
}

/**
 * Returns the proxy of a target. With an address, it is that for all targets; with `false` there is none. Otherwise `HTTP_PROXY`,
 * `HTTPS_PROXY` and `NO_PROXY` decide, also in lower case, which counts first.
 */
export function proxyChoice(
  option: string | false | undefined,
  environment: Environment,
): (target: URL) => ProxyServer | undefined {
  if (option === false) return () => undefined;
  if (option !== undefined) {
    const proxy = parse(option, "The option proxy");
    return () => proxy;
  }
  const read = (name: string) => environment[name.toLowerCase()] || environment[name] || undefined;
  const proxyIn = (name: string) => {
    const address = read(name);
    return address === undefined ? undefined : parse(address, `The environment variable ${name}`);
  };
  const proxies = new Map([
    ["http:", proxyIn("HTTP_PROXY")],
    ["https:", proxyIn("HTTPS_PROXY")],
  ]);
  const direct = (read("NO_PROXY") ?? "").split(/[\s,]+/).filter((entry) => entry !== "");
  return (target) => {
    const proxy = proxies.get(target.protocol);
    return proxy && direct.some((entry) => excludes(entry, target)) ? undefined : proxy;
  };
}
