import { describe, expect, it } from "vitest";
import { createAddressCount, networkOf } from "./address-count.js";

describe("the key of an address", () => {
  it.each([
    ["192.0.2.7", "192.0.2.7"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:db8::1", "2001:db8:0:0"],
    ["2001:db8:1:2::", "2001:db8:1:2"],
    ["::1", "0:0:0:0"],
    ["::", "0:0:0:0"],
    ["fe80::1%eth0", "fe80:0:0:0"],
  ])("%s is counted as %s", (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});

describe("the count of an address", () => {
  it("rejects a connection over the limit, until one is released", () => {
    const count = createAddressCount(2);
    const first = count.take("192.0.2.7");
    expect(count.take("::ffff:192.0.2.7")).toBeDefined();
    expect(count.take("192.0.2.7")).toBeUndefined();
    expect(count.take("192.0.2.8")).toBeDefined();
    first?.();
    expect(count.take("192.0.2.7")).toBeDefined();
    expect(count.take("192.0.2.7")).toBeUndefined();
  });

  it("accepts every connection when there is no limit, and a connection without an address at any limit", () => {
    const off = createAddressCount(Number.POSITIVE_INFINITY);
    const none = createAddressCount(0);
    for (let round = 0; round < 3; round += 1) expect(off.take("192.0.2.7")).toBeDefined();
    expect(none.take(undefined)).toBeDefined();
  });
});
