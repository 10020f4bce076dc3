/** Creates a count of the open connections of each address, which allows each address at most `limit`. */
export function createAddressCount(limit: number) {
  const counts = new Map<string, number>();

  /** Counts one connection. Returns a function to call when it closes, or undefined when the address is at its limit. */
  function take(address: string | undefined): (() => void) | undefined {
    // The address is undefined when the caller has already disconnected.
    if (limit === Number.POSITIVE_INFINITY || address === undefined) return () => {};
    const network = networkOf(address);
    const count = counts.get(network) ?? 0;
    if (count >= limit) return undefined;
    counts.set(network, count + 1);
    return () => {
      const left = (counts.get(network) ?? 0) - 1;
      if (left <= 0) counts.delete(network);
      else counts.set(network, left);
    };
  }
  return { take };
}

/**
 * Returns the key under which an address is counted: an IPv4 address, also for its IPv6 form `::ffff:192.0.2.7`, or the first
 * 64 bits of an IPv6 address, because one customer usually has a whole /64 network.
 */
export function networkOf(address: string): string {
  if (!address.includes(":")) return address;
  const mapped = /^::ffff:([0-9.]+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [before = "", after] = address.replace(/%.*$/, "").split("::");
  const first = before === "" ? [] : before.split(":");
  const last = after === undefined || after === "" ? [] : after.split(":");
  const zeros = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => "0");
  return [...first, ...zeros, ...last].slice(0, 4).join(":");
}
