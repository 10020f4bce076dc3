/** Counts what comes from each address, up to a limit. */
export function createAddressCount(limit: number) {
  const counts = new Map<string, number>();

  /** Counts one more, and returns how to count it out again; undefined when the limit is reached. */
  function take(address: string | undefined): (() => void) | undefined {
    // Undefined when the caller has gone already.
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
 * What counts as one address: an IPv4 address, also where it is written as IPv6, or the first 64 bits of an IPv6 address,
 * since whoever has one such address usually has all of its network.
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
