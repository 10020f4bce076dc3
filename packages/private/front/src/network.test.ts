import { describe, expect, it } from "vitest";
import { networkOf } from "./network.js";

describe("DECISIONS section 9: an address is an IPv4 address or an IPv6 /64, one spelling for all counters", () => {
  it.each([
    ["192.0.2.7", "192.0.2.7"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["::ffff:c000:207", "192.0.2.7"],
    ["0:0:0:0:0:ffff:192.0.2.7", "192.0.2.7"],
    ["::ffff:0:192.0.2.7", "0:0:0:0"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:0DB8:0001:0002::9", "2001:db8:1:2"],
    ["2001:db8::1", "2001:db8:0:0"],
    ["fe80::1%eth0", "fe80:0:0:0"],
    ["not an address", "not an address"],
    ["", ""],
  ])("counts %j as %j", (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
