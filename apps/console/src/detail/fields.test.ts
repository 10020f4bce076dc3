import { type ContentField, fieldTypes } from "@platform-rpc/items/item-content";
import { expect, it } from "vitest";
import { compareContents, isSecret } from "./fields.js";

it("masks every type of field that is not known to be public", () => {
  expect(fieldTypes.filter(isSecret)).toEqual(["secret", "totp"]);
});

const field = (name: string, value: string): ContentField => ({ name, type: "text", value });
const compared = (name: string, seen: string | undefined, now: string | undefined, count = 1) => ({
  key: `${name} ${count}`,
  seen: seen === undefined ? undefined : field(name, seen),
  now: now === undefined ? undefined : field(name, now),
});

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

it("compares what two states have besides: the kind, the tags and the mark of a favourite", () => {
  const marks = compareContents({ kind: "ssh_key", tags: ["a", "b"], favourite: true }, { kind: "login", tags: ["a"] });
  expect(marks).toEqual([
    { ...compared("kind", "SSH key", "Login"), key: "kind" },
    { ...compared("tags", "a, b", "a"), key: "tags" },
    { ...compared("favourite", "Yes", undefined), key: "favourite" },
  ]);
});

it("tells fields with equal names apart by their order", () => {
  const seen = { title: "", fields: [field("website", "a"), field("website", "b")] };
  const now = { title: "", fields: [field("website", "a"), field("website", "c")] };
  expect(compareContents(seen, now)).toEqual([compared("website", "a", "a"), compared("website", "b", "c", 2)]);
});
