import { expect, it } from "vitest";
import { fieldTypes, readContent, writeContent } from "./item-content.js";
import { emptyFields, fieldsOfKind, labelOf } from "./kind-fields.js";
import { newKinds } from "./kinds.js";

it.each([
  ["login", ["Username", "Password", "Website", "One-time code", "Notes"]],
  ["secure_note", ["Notes"]],
  ["card", ["Cardholder", "Number", "Expires", "Security code", "PIN", "Notes"]],
  ["identity", ["First name", "Last name", "Email", "Phone", "Address", "Birthday", "Notes"]],
  ["ssh_key", ["Public key", "Private key", "Fingerprint", "Notes"]],
  ["api_key", ["Key", "Host", "Expires", "Notes"]],
  ["file", ["File", "Notes"]],
  ["of another program", ["Notes"]],
  ["constructor", ["Notes"]],
])("a new item starts with the fields of its kind, in their order: %s", (kind, labels) => {
  expect(fieldsOfKind(kind).map(({ label }) => label)).toEqual(labels);
});

it.each(newKinds)("a kind that can be created has fields that are read again: %s", (kind) => {
  const content = { title: "", fields: emptyFields(kind) };
  expect(readContent(writeContent(content))).toEqual(content);
});

it("each type of a field is used by a kind", () => {
  const used = new Set(newKinds.flatMap((kind) => fieldsOfKind(kind).map(({ type }) => type)));
  expect(fieldTypes.filter((type) => !used.has(type))).toEqual([]);
});

it("a name has the same label in every kind", () => {
  for (const { name, label } of newKinds.flatMap(fieldsOfKind)) expect(labelOf(name)).toBe(label);
});

it.each([
  ["pin", "PIN"],
  ["one_time_code", "One-time code"],
  ["what_else", "What else"],
  ["Name of a person's own", "Name of a person's own"],
  ["", ""],
])("names a field for people: %s is %s", (name, label) => expect(labelOf(name)).toBe(label));
