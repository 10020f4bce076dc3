import { BlockList, isIP } from "node:net";

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
