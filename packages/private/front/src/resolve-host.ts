import { Resolver } from "node:dns/promises";
import { BlockList, isIP } from "node:net";

export interface HostAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

export interface NameServerOptions {
  /** The name servers, such as `192.0.2.1:53`. Default: those of the system. */
  readonly nameServers?: readonly string[] | undefined;
  /** How long each has for its first answer, in milliseconds. Each is asked twice. Default: 500, which is the delay by a dead one. */
  readonly nameServerTimeoutMs?: number | undefined;
}

/** Thrown when a host has no address, or its name servers do not say which. */
export class ResolveError extends Error {
  override readonly name = "ResolveError";

  constructor(
    readonly problem: "HOST_NOT_FOUND" | "HOST_NOT_RESOLVED" | "TIMED_OUT",
    /** The code of the resolver, such as `ESERVFAIL`. */
    readonly failure: string = "ENOTFOUND",
  ) {
    super(`The host cannot be resolved (${failure})`);
  }
}

/**
 * Returns the addresses of a host. Asks the name servers itself, without /etc/hosts and search domains: only names of the public
 * internet are needed, and `dns.lookup` would keep one of the four threads of libuv until the name server answers, so that the lookups
 * of everybody else would wait.
 *
 * @throws ResolveError
 */
export async function resolveHost(
  host: string,
  signal: AbortSignal,
  { nameServers, nameServerTimeoutMs: timeout = 500 }: NameServerOptions = {},
): Promise<readonly HostAddress[]> {
  signal.throwIfAborted();
  const resolver = new Resolver({ timeout, tries: 2 });
  if (nameServers !== undefined) resolver.setServers(nameServers);
  const cancel = () => resolver.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  const answers = await Promise.allSettled([addresses(resolver, host, 4), addresses(resolver, host, 6)]);
  signal.removeEventListener("abort", cancel);
  const found = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  if (found.length > 0) return found;
  const codes = answers.flatMap((answer) => (answer.status === "rejected" ? String(answer.reason?.code) : []));
  const failure = codes.find((code) => code !== "ENOTFOUND" && code !== "ENODATA");
  if (failure === undefined) throw new ResolveError("HOST_NOT_FOUND");
  const silent = failure === "ETIMEOUT" || failure === "ECANCELLED";
  throw new ResolveError(silent ? "TIMED_OUT" : "HOST_NOT_RESOLVED", failure);
}

async function addresses(resolver: Resolver, host: string, family: 4 | 6): Promise<readonly HostAddress[]> {
  const found = await (family === 4 ? resolver.resolve4(host) : resolver.resolve6(host));
  return found.map((address) => ({ address, family }));
}

/** The networks that are not public (RFC 6890, IANA special-purpose address registries). */
const ranges: readonly (readonly [network: string, prefix: number, family: "ipv4" | "ipv6"])[] = [
  ["0.0.0.0", 8, "ipv4"],
  ["10.0.0.0", 8, "ipv4"],
  ["100.64.0.0", 10, "ipv4"],
  ["127.0.0.0", 8, "ipv4"],
  ["169.254.0.0", 16, "ipv4"],
  ["172.16.0.0", 12, "ipv4"],
  ["192.0.0.0", 24, "ipv4"],
  ["192.0.2.0", 24, "ipv4"],
  ["192.88.99.0", 24, "ipv4"],
  ["192.168.0.0", 16, "ipv4"],
  ["198.18.0.0", 15, "ipv4"],
  ["198.51.100.0", 24, "ipv4"],
  ["203.0.113.0", 24, "ipv4"],
  ["224.0.0.0", 3, "ipv4"],
];

/** Only global unicast addresses are public, and of these not the ones that contain an IPv4 address or are for documentation. */
const globalUnicast = new BlockList();
globalUnicast.addSubnet("2000::", 3, "ipv6");
const notPublic = new BlockList();
for (const range of ranges) notPublic.addSubnet(...range);
notPublic.addSubnet("2001::", 23, "ipv6");
notPublic.addSubnet("2001:db8::", 32, "ipv6");
notPublic.addSubnet("2002::", 16, "ipv6");
notPublic.addSubnet("3fff::", 20, "ipv6");

/** Returns whether an IP address belongs to the public internet. An IPv4 address inside an IPv6 address does not. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !notPublic.check(address, "ipv4");
    case 6:
      return globalUnicast.check(address, "ipv6") && !notPublic.check(address, "ipv6");
    default:
      return false;
  }
}
