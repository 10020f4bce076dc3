import { type ContentField, fieldTypes } from "@platform-rpc/items/item-content";
import { expect, it } from "vitest";
import { addressOf, compareContents, isSecret } from "./fields.js";

it("masks every type of field that is not known to be public", () => {
  expect(fieldTypes.filter(isSecret)).toEqual(["secret", "totp"]);
});

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

const field = (name: string, value: string): ContentField => ({ name, type: "text", value });
const compared = (name: string, seen: string | undefined, now: string | undefined, count = 1) => {
  return { key: `${name} ${count}`, name, type: "text", seen, now };
};

it("compares the titles and all fields of two states", () => {
  const seen = { title: "Mail", fields: [field("user", "ada"), field("old", "1")] };
  const now = { title: "Post", fields: [field("new", "2"), field("user", "ada")] };
  expect(compareContents(seen, now)).toEqual([
    { ...compared("title", "Mail", "Post"), key: "title" },
    compared("user", "ada", "ada"),
    compared("old", "1", undefined),
    compared("new", undefined, "2"),
  ]);
});

it("tells fields with equal names apart by their order", () => {
  const seen = { title: "", fields: [field("website", "a"), field("website", "b")] };
  const now = { title: "", fields: [field("website", "a"), field("website", "c")] };
  expect(compareContents(seen, now).slice(1)).toEqual([
    compared("website", "a", "a"),
    compared("website", "b", "c", 2),
  ]);
});
