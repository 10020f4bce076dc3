import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contentProblem, fieldTypes, limits, readContent, writeContent } from "./item-content.js";
import { fieldsOfKind } from "./kind-fields.js";
import { newKinds } from "./kinds.js";
import { typeOfName } from "./old-names.js";

const page = readFileSync(new URL("../../../../docs/items.md", import.meta.url), "utf8");
const blocks = [...page.matchAll(/```json\n(.*?)```/gs)].map(([, json = ""]): unknown => JSON.parse(json));
const schema = blocks.find((block): block is { readonly $schema: string } => Object.hasOwn(Object(block), "$schema"));
const examples = blocks.filter((block) => block !== schema);
const inVersion1 = examples.filter((example) => Object.hasOwn(Object(example), "version"));
const validate = new Ajv2020({ allowMatchingProperties: true }).compile(schema ?? false);

describe("the examples of docs/items.md", () => {
  it.each(examples)("are read without loss, and are small enough: %j", (example) => {
    const content = readContent(JSON.stringify(example));
    expect(content).toBeDefined();
    expect(content && contentProblem(content)).toBeUndefined();
  });

  it.each(inVersion1)("are valid by the schema, and written as they are: %j", (example) => {
    expect(validate(example), JSON.stringify(validate.errors)).toBe(true);
    const content = readContent(JSON.stringify(example));
    // `sealItem` adds it.
    const written = JSON.stringify(example, (name, value) => (name === "replaces" ? undefined : value));
    expect(content && writeContent(content)).toBe(written);
  });

  it.each(newKinds)("have the fields of their kind: %s", (kind) => {
    const [, json = ""] = new RegExp(`### \`${kind}\`\n.*?\`\`\`json\n(.*?)\`\`\``, "s").exec(page) ?? [];
    const fields = readContent(json)?.fields.map(({ name, type }) => ({ name, type }));
    expect(fields).toEqual(fieldsOfKind(kind).map(({ name, type }) => ({ name, type })));
  });
});

describe("the schema of docs/items.md", () => {
  it("has the bounds and the types of the reader", () => {
    expect(schema).toMatchObject({
      properties: { title: { maxLength: limits.title }, fields: { maxItems: limits.fields } },
      $defs: {
        field: { properties: { name: { maxLength: limits.name }, type: { anyOf: [{ enum: [...fieldTypes] }, {}] } } },
      },
    });
  });

  it("accepts every content that has no problem", () => {
    const texts = fc.string({ unit: "binary" });
    const field = fc.record(
      { name: texts, type: fc.constantFrom(...fieldTypes), unknownType: fc.string(), value: texts, fileName: texts },
      { requiredKeys: ["name", "type", "value"] },
    );
    const contents = fc.record(
      { title: texts, favourite: fc.constant(true as const), tags: fc.array(texts), fields: fc.array(field) },
      { requiredKeys: ["title", "fields"] },
    );
    fc.assert(
      fc.property(contents, (content) => {
        fc.pre(contentProblem(content) === undefined);
        expect(validate(JSON.parse(writeContent(content)))).toBe(true);
      }),
    );
  });

  it.each([
    { title: "", fields: [] },
    { version: 2, title: "", fields: [] },
    { version: 1, title: "x".repeat(limits.title + 1), fields: [] },
    { version: 1, title: "", fields: {} },
    { version: 1, title: "", fields: [{ name: "a", type: "text" }] },
    { version: 1, title: "", favourite: false, fields: [] },
  ])("rejects another form: %j", (value) => expect(validate(value)).toBe(false));
});

describe("the text of docs/items.md", () => {
  it("has the limits of the reader", () => {
    const rows = [
      `| title | ${limits.title} characters |`,
      `| fields | ${limits.fields} |`,
      `| name of a field | ${limits.name} characters |`,
      `| the whole JSON text | ${limits.bytes.toLocaleString("en").replace(",", " ")} bytes of UTF-8 |`,
      `nested more than ${limits.depth} levels deep`,
    ];
    expect(rows.filter((row) => !page.includes(row))).toEqual([]);
  });

  it("describes each type", () => {
    expect(fieldTypes.filter((type) => !page.includes(`\n| \`${type}\` |`))).toEqual([]);
  });

  it("names the fields without types that are no secret", () => {
    const [, names = ""] = /## Contents without a version\n.*?```json.*?```\n(.*?)All others/s.exec(page) ?? [];
    const quoted = new Set([...names.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name));
    expect(quoted).toContain("cardholder");
    expect([...quoted].filter((name) => typeOfName(name) === "secret")).toEqual(["text"]);
  });
});
