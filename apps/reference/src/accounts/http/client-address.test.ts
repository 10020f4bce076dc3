import { expect, it } from "vitest";
import { networkOf } from "./client-address.js";

it.each([
  ["192.0.2.1", "192.0.2.1"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
  ["2001:db8::1", "2001:db8:0:0"],
  ["::1", "0:0:0:0"],
  ["2001:db8:1:2::", "2001:db8:1:2"],
  ["not an address", "not an address"],
  ["", ""],
])("callers with the address %j are limited together as %j", (address, network) => {
  expect(networkOf(address)).toBe(network);
});
