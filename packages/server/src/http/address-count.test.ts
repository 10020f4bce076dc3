import { describe, expect, it } from "vitest";
import { createAddressCount, networkOf } from "./address-count.js";

describe("what counts as one address", () => {
  it.each([
    ["192.0.2.7", "192.0.2.7"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:db8::1", "2001:db8:0:0"],
    ["2001:db8:1:2::", "2001:db8:1:2"],
    ["::1", "0:0:0:0"],
    ["::", "0:0:0:0"],
    ["fe80::1%eth0", "fe80:0:0:0"],
  ])("%s counts as %s", (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});

describe("the count", () => {
  it("rejects one more than the limit, until one is counted out", () => {
    const count = createAddressCount(2);
    const first = count.take("192.0.2.7");
    expect(count.take("::ffff:192.0.2.7")).toBeDefined();
    expect(count.take("192.0.2.7")).toBeUndefined();
    expect(count.take("192.0.2.8")).toBeDefined();
    first?.();
    expect(count.take("192.0.2.7")).toBeDefined();
    expect(count.take("192.0.2.7")).toBeUndefined();
  });

  it("takes everything when it is switched off, and what has no address any more", () => {
    const off = createAddressCount(Number.POSITIVE_INFINITY);
    const none = createAddressCount(0);
    for (let round = 0; round < 3; round += 1) expect(off.take("192.0.2.7")).toBeDefined();
    expect(none.take(undefined)).toBeDefined();
  });
});
