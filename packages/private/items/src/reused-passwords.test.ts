import { expect, it } from "vitest";
import type { ContentField } from "./item-content.js";
import { reusedPasswords } from "./reused-passwords.js";

const secret = (value: string, name = "password"): ContentField => ({ name, type: "secret", value });
const items = (fields: Readonly<Record<string, readonly ContentField[]>>) =>
  new Map(Object.entries(fields).map(([itemId, each]) => [itemId, { fields: each }]));

it("returns the items of each password that several have, the most items first", () => {
  const reused = reusedPasswords(
    items({
      mail: [secret("one")],
      bank: [secret("two")],
      shop: [secret("two", "second_password"), secret("three")],
      news: [secret("one", "passphrase"), secret("two")],
    }),
  );
  expect(reused).toEqual([{ itemIds: ["bank", "shop", "news"] }, { itemIds: ["mail", "news"] }]);
});

it.each<readonly [string, readonly ContentField[]]>([
  ["an empty value", [secret("")]],
  ["another secret", [secret("1234", "pin")]],
  ["a field that is not a secret", [{ name: "password", type: "text", value: "hint" }]],
  ["another case", []],
  ["a password that they had before", [secret("old", "Password until 2020-01-01"), secret("old", "old_password")]],
])("two items do not have a password in common because of %s", (_, fields) => {
  const reused = reusedPasswords(items({ one: [...fields, secret("Aa")], two: [...fields, secret("aa")] }));
  expect(reused).toEqual([]);
});

it("one item with a password in two fields does not reuse it", () => {
  expect(reusedPasswords(items({ one: [secret("a"), secret("a", "password again")] }))).toEqual([]);
});
