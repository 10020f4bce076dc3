import { expect, it } from "vitest";
import { networkInWords } from "./network-in-words.js";

it.each([
  ["192.0.2.9", "192.0.2.x"],
  ["::ffff:192.0.2.9", "192.0.2.x"],
  ["2001:db8::1", "2001:db8::/64"],
  ["2001:db8:0:10:1:2:3:4", "2001:db8:0:10::/64"],
  ["::1", "::/64"],
])("shows the network of %s as %s", (address, words) => {
  expect(networkInWords(address)).toBe(words);
});
