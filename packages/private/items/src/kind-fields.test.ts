import { expect, it } from "vitest";
import { readContent, writeContent } from "./item-content.js";
import { emptyFields, fieldsOfKind, labelOf, titleOf } from "./kind-fields.js";
import { newKinds } from "./kinds.js";

it.each([
  ["login", ["Username", "Password", "Website", "One-time code", "Notes"]],
  ["constructor", ["Notes"]],
])("a new item starts with the fields of its kind, in their order: %s", (kind, labels) => {
  expect(fieldsOfKind(kind).map(({ label }) => label)).toEqual(labels);
});

it.each(newKinds)("a kind that can be created has fields that are read again: %s", (kind) => {
  const content = { title: "", fields: emptyFields(kind) };
  expect(readContent(writeContent(content))).toEqual(content);
});

it("a name has the same label in every kind", () => {
  for (const { name, label } of newKinds.flatMap(fieldsOfKind)) expect(labelOf(name)).toBe(label);
});

it.each([
  ["pin", "PIN"],
  ["one_time_code", "One-time code"],
  ["what_else", "What else"],
  ["Name of a person's own", "Name of a person's own"],
  ["", "Field without a name"],
  [" \u200b", "Field without a name"],
])("names a field for people: %s is %s", (name, label) => expect(labelOf(name)).toBe(label));

it.each([
  ["Mail", "https://mail.example.com/inbox", "Mail"],
  ["", "https://mail.example.com/inbox", "mail.example.com"],
  ["\u00a0\u200b\u202e\u3164", "example.com:8443/a", "example.com"],
  ["", "not an address", "not an address"],
  ["", "", "SSH key"],
  ["👩‍💻", "", "👩‍💻"],
])("an item with the title %j and the website %j is called %s", (title, value, called) =>
  expect(titleOf("ssh_key", { title, fields: [{ name: "website", type: "url", value }] })).toBe(called),
);
