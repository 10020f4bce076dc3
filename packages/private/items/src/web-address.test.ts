import { expect, it } from "vitest";
import { addressOf } from "./web-address.js";

it.each([
  ["mail.example.com", "https://mail.example.com/"],
  ["http://localhost:8080/a", "http://localhost:8080/a"],
  ["javascript:alert(1)", undefined],
  ["data:text/html,1", undefined],
  ["not an address", undefined],
])("opens only an address of the web: %s", (value, address) => {
  expect(addressOf({ type: "url", value })).toBe(address);
  expect(addressOf({ type: "note", value })).toBeUndefined();
});
