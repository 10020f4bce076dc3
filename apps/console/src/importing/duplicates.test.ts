import { create } from "@bufbuild/protobuf";
import type { ContentField } from "@platform-rpc/items/item-content";
import { ItemSchema } from "@platform-rpc/types";
import { expect, it } from "vitest";
import { rowOf } from "../items/item-rows.js";
import { withoutDuplicates } from "./duplicates.js";

const field = (name: string, value: string): ContentField => ({ name, type: "text", value });
const login = [field("username", "ada"), field("password", "p"), field("website", "example.com")];
const row = (kind: string, fields: readonly ContentField[], deleted = false) =>
  rowOf("vault", create(ItemSchema, { kind, deleted }), { title: "A", fields, sealedVersion: 1 });
const item = (kind: string, fields: readonly ContentField[], title = "A") => ({ kind, content: { title, fields } });

it("a login is a duplicate if title, username, website and password are the same, another item if all fields are", () => {
  const rows = [row("login", [...login, field("notes", "here")]), row("secure_note", [field("notes", "x")])];
  const fresh = [
    item("login", login, "B"),
    item("login", [...login.slice(0, 2), field("website", "other.example.com")]),
    item("secure_note", [field("notes", "y")]),
    item("card", []),
  ];
  const known = [item("login", [...login, field("notes", "there")]), item("secure_note", [field("notes", "x")])];
  expect(withoutDuplicates([...fresh, ...known], rows)).toEqual(fresh);
});

it("a deleted item has no duplicates", () => {
  expect(withoutDuplicates([item("login", login)], [row("login", login, true)]).length).toBe(1);
});
