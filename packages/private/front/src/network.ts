import { isIPv6 } from "node:net";

/**
 * Returns the key under which the callers at an address are counted and limited together: an IPv4 address, or the first 64 bits of
 * an IPv6 address, because one customer usually has a whole /64 network. All spellings of an address have one key, and an
 * IPv4-mapped IPv6 address has that of its IPv4 address. Text that is not an address is its own key.
 *
 * @see RFC 4291 section 2.5.5.2 (IPv4-mapped addresses) and RFC 5952 (spelling)
 */
export function networkOf(address: string): string {
  if (!address.includes(":")) return address;
  const groups = groupsOf(address.replace(/%.*$/s, ""));
  if (groups === undefined) return address;
  const [sixth, seventh = 0, eighth = 0] = groups.slice(5);
  if (sixth === 0xffff && groups.slice(0, 5).every((group) => group === 0)) {
    return [seventh >> 8, seventh & 255, eighth >> 8, eighth & 255].join(".");
  }
  return groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(":");
}

/** Returns the eight groups of an IPv6 address; undefined if the text is not an IPv6 address. */
function groupsOf(address: string): number[] | undefined {
  if (!isIPv6(address)) return undefined;
  // The last two groups may have the form of an IPv4 address.
  const plain = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...bytes: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.map(Number);
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  });
  const [first = [], last] = plain.split("::").map((part) => (part === "" ? [] : part.split(":")));
  const zeros = last === undefined ? 0 : 8 - first.length - last.length;
  return [...first, ...Array.from({ length: zeros }, () => "0"), ...(last ?? [])].map((group) =>
    Number.parseInt(group, 16),
  );
}
