import { contentProblem } from "@platform-rpc/items/item-content";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createItemBuilder, type ItemBuilder, sortBuilt } from "./item-builder.js";

function build(fill: (builder: ItemBuilder) => void) {
  const builder = createItemBuilder("login");
  builder.title = "Bank";
  fill(builder);
  builder.add("password", "must-not-be-lost");
  return sortBuilt([builder.build("Item 1")]);
}

const question = `Security question: ${"what was the street? ".repeat(6)}`.trim();
const many = (count: number) => Array.from({ length: count }, (_, index) => index);

describe("an item that is larger than an item can be", () => {
  it.each<[what: string, fill: (builder: ItemBuilder) => void, titles: readonly string[], list: readonly string[]]>([
    [
      "the label of a field",
      (builder) => builder.addOther(question, "secret", "blue"),
      ["Bank"],
      ["The names of fields are too long, and were cut. The whole is in the field “Whole names”."],
    ],
    [
      "a title",
      (builder) => Object.assign(builder, { title: "x".repeat(501) }),
      [`${"x".repeat(499)}…`],
      ["Its title is too long, and was cut. The whole is in the field “Whole title”."],
    ],
    [
      "tags",
      (builder) => many(100).forEach((index) => void builder.tag(`${index} ${"t".repeat(400)}`)),
      ["Bank", "Bank (2)"],
      [
        "Its tags are too long. The whole is in the field “Tags”.",
        "It is larger than an item can be. The rest is in “Bank (2)”.",
      ],
    ],
    [
      "a note",
      (builder) => builder.add("notes", "config line\n".repeat(3_500)),
      ["Bank", "Bank (2)"],
      ["It is larger than an item can be. The rest is in “Bank (2)”."],
    ],
    [
      "its number of fields",
      (builder) => many(150).forEach((index) => void builder.addOther(`Field ${index}`, "text", "x")),
      ["Bank", "Bank (2)"],
      ["It is larger than an item can be. The rest is in “Bank (2)”."],
    ],
    [
      "a file",
      (builder) => builder.addFile("photo.jpg", "A".repeat(40_000)),
      ["Bank"],
      ["Its file “photo.jpg” is too large for an item, and was left out."],
    ],
  ])("because of %s keeps its password, and lists what is different", (_, fill, titles, list) => {
    const { items, skipped } = build(fill);
    expect(items.map(({ content }) => content.title)).toEqual(titles);
    expect(items[0]?.content.fields).toContainEqual({ name: "password", type: "secret", value: "must-not-be-lost" });
    expect(skipped.map(({ why, isPart }) => [why, isPart])).toEqual(list.map((why) => [why, true]));
    expect(items.map(({ content }) => contentProblem(content))).toEqual(items.map(() => undefined));
  });

  it("keeps every label and every character of every value, in order", () => {
    const text = fc.string({ unit: "binary", minLength: 1, maxLength: 8 });
    const fields = fc.array(fc.tuple(text, text, fc.integer({ min: 1, max: 6_000 })), { maxLength: 6 });
    fc.assert(
      fc.property(fields, (all) => {
        const values = all.map(([name, value, count], index) => [`${index}${name}`, value.repeat(count)] as const);
        const { items } = build((builder) => {
          for (const [name, value] of values) builder.addOther(name, "secret", value);
        });
        const read = items.flatMap(({ content }) => content.fields);
        for (const [name, value] of values) {
          const parts = read.filter((field) => field.name === name.trim()).map((field) => field.value);
          expect(parts.join("")).toBe(value);
        }
        for (const { content } of items) expect(contentProblem(content)).toBeUndefined();
      }),
      { numRuns: 30 },
    );
  });
});
