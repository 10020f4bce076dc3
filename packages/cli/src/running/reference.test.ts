import * as fc from "fast-check";
import { expect, it } from "vitest";
import { formatReference, parseReference } from "./reference.js";

it("every reference that is written is read as the same one", () => {
  const name = fc.string({ minLength: 1, unit: "grapheme" });
  fc.assert(
    fc.property(fc.record({ vault: name, item: name, field: name }, { noNullPrototype: true }), (reference) => {
      expect(parseReference(formatReference(reference), "NAME")).toEqual(reference);
    }),
  );
});

it.each(["", "value", "pvault:/a/b/c", "see pvault://a/b/c"])("%j is no reference", (value) => {
  expect(parseReference(value, "NAME")).toBeUndefined();
});

it.each([
  ...["pvault://", "pvault://a/b", "pvault://a//c", "pvault://a/b/c/d", "pvault://a/b/%", " pvault://a/b/c"],
  ...["PVAULT://a/b/c", '"pvault://a/b/c"', "postgres://u:pvault://a/b/c@h", "user=u password=pvault://a/b/c"],
])("%j is reported, with the name of the variable and without the value", (value) => {
  const parse = () => parseReference(value, "DB_PASSWORD");
  expect(parse).toThrow("DB_PASSWORD is not a valid reference.");
  expect(parse).not.toThrow(value === "pvault://" ? "pvault://)" : value);
});

it("spaces and other characters may be written as they are", () => {
  expect(parseReference("pvault://My vault/Example mail/password", "NAME")).toEqual({
    vault: "My vault",
    item: "Example mail",
    field: "password",
  });
});
