/** Returns the network of an address, which is enough to recognize it: the first 24 bits of an IPv4 address, or 64 of an IPv6 address. */
export function networkInWords(address: string): string {
  const [, network] = /^(?:::ffff:)?(\d+\.\d+\.\d+)\.\d+$/i.exec(address) ?? [];
  if (network !== undefined) return `${network}.x`;
  const [first = [], last = []] = address.split("::").map((part) => part.split(":").filter(Boolean));
  const zeros = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => "0");
  const groups = [...first, ...zeros, ...last].slice(0, 4).join(":");
  return `${groups.replace(/(?:(?:^|:)0+)+$/, "")}::/64`;
}
