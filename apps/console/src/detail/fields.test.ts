import { expect, it } from "vitest";
import { addressOf, compareContents, isSecret } from "./fields.js";

it.each([
  ["password", true],
  ["number", true],
  ["what another program calls it", true],
  ["Username", false],
  ["expires", false],
])("masks every field that is not known to be public: %s, %s", (name, secret) => {
  expect(isSecret(name)).toBe(secret);
});

it.each([
  ["mail.example.com", "https://mail.example.com/"],
  ["http://localhost:8080/a", "http://localhost:8080/a"],
  ["javascript:alert(1)", undefined],
  ["data:text/html,1", undefined],
  ["not an address", undefined],
])("opens only an address of the web: %s", (value, address) => {
  expect(addressOf("website", value)).toBe(address);
  expect(addressOf("note", value)).toBeUndefined();
});

it("compares the titles and all fields of two states", () => {
  const seen = { title: "Mail", fields: [["user", "ada"] as const, ["old", "1"] as const], sealedVersion: 1 };
  const now = { title: "Post", fields: [["new", "2"] as const, ["user", "ada"] as const], sealedVersion: 1 };
  expect(compareContents(seen, now)).toEqual([
    { name: "title", seen: "Mail", now: "Post" },
    { name: "user", seen: "ada", now: "ada" },
    { name: "old", seen: "1", now: undefined },
    { name: "new", seen: undefined, now: "2" },
  ]);
});
