import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contentProblem, fieldTypes, type ItemContent, limits, readContent, writeContent } from "./item-content.js";

const written = (value: unknown) => JSON.stringify(value);
const text = (value: string, name = "a") => ({ name, type: "text", value }) as const;

describe("reading a content", () => {
  it("takes a field of an unknown type for a secret, and writes its type again", () => {
    const original = { version: 1, title: "", fields: [{ name: "iris", type: "scan", value: "x" }] };
    const content = readContent(written(original));
    expect(content?.fields).toEqual([{ name: "iris", type: "secret", unknownType: "scan", value: "x" }]);
    expect(content && writeContent(content)).toBe(written(original));
  });

  it("writes the type that a person gave to a field of an unknown type", () => {
    const field = { name: "a", type: "text", unknownType: "scan", value: "x" } as const;
    expect(JSON.parse(writeContent({ title: "", fields: [field] })).fields).toEqual([text("x")]);
  });

  it("keeps the members that another program added", () => {
    const field = { name: "a", type: "text", value: "", color: "red" };
    const original = `{"version":1,"title":"","fields":[${written(field)}],"icon":{"id":[1]},"__proto__":{"x":1}}`;
    const content = readContent(original);
    expect(content && writeContent(content)).toBe(original);
    expect(content?.isReadOnly).toBeUndefined();
  });

  it.each([
    ["a newer version", { version: 2, title: "Mail", fields: [text("x")], layout: [] }],
    ["a field that is not an object", { version: 1, title: "Mail", fields: [text("x"), "y"] }],
    ["a tag that is not text", { version: 1, title: "Mail", fields: [text("x")], tags: [1] }],
    ["a title that is not text", { version: 1, title: 5, fields: [text("x")] }],
  ])("opens for reading only what would lose a part when it is written: %s", (_, value) => {
    const content = readContent(written(value));
    expect(content).toMatchObject({ fields: [text("x")], isReadOnly: true });
    expect(content && contentProblem(content)).toMatch(/cannot be changed here/);
  });

  it("shows a value that is not text as JSON, and does not let it be changed", () => {
    const content = readContent(written({ version: 1, title: "", fields: [{ ...text(""), value: [1] }] }));
    expect(content).toEqual({ title: "", fields: [text("[1]")], isReadOnly: true });
  });

  it("reads the form without a version, and decides the types by the names", () => {
    const fields = { username: "ada", Website: "a.example", email: "a@b", phone: "1", password: "x", pin: 5 };
    expect(readContent(written({ title: "Mail", fields, tags: ["old"], color: "red" }))).toEqual({
      title: "Mail",
      tags: ["old"],
      fields: [
        { name: "username", type: "text", value: "ada" },
        { name: "Website", type: "url", value: "a.example" },
        { name: "email", type: "email", value: "a@b" },
        { name: "phone", type: "phone", value: "1" },
        { name: "password", type: "secret", value: "x" },
        { name: "pin", type: "secret", value: "5" },
      ],
      others: { color: "red" },
    });
    expect(readContent('{"title":"Mail"}')).toEqual({ title: "Mail", fields: [] });
  });

  it.each(["", "null", "[]", '"text"', "{}", '{"title":1}', '{"title":"a","fields":[]}', '{"title":"a"'])(
    "returns undefined for another form: %s",
    (other) => expect(readContent(other)).toBeUndefined(),
  );

  it("returns undefined for what is nested more deeply than JSON.stringify can write", () => {
    const nested = (depth: number) =>
      `{"version":1,"title":"","fields":[],"a":${"[".repeat(depth)}${"]".repeat(depth)}}`;
    expect(readContent(nested(10_000))).toBeUndefined();
    expect(readContent(nested(limits.depth - 1))).toBeDefined();
  });
});

describe("writing a content", () => {
  it("writes the members in one order, and leaves out what is absent", () => {
    const content: ItemContent = {
      fields: [],
      others: { a: 1, title: "other" },
      tags: [],
      favourite: undefined,
      title: "",
    };
    expect(writeContent(content)).toBe('{"version":1,"title":"","fields":[],"a":1}');
  });

  const others = fc.option(
    fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { minKeys: 1, noNullPrototype: true }),
    { nil: undefined },
  );
  const field = fc.record(
    {
      name: fc.string(),
      type: fc.constantFrom(...fieldTypes),
      value: fc.string({ unit: "binary" }),
      fileName: fc.string(),
    },
    { requiredKeys: ["name", "type", "value"] },
  );
  const contents = fc.record(
    {
      title: fc.string(),
      favourite: fc.constant(true as const),
      tags: fc.array(fc.string(), { minLength: 1 }),
      fields: fc.array(field),
    },
    { requiredKeys: ["title", "fields"] },
  );

  it("and reading it again returns the same content", () => {
    fc.assert(
      fc.property(contents, (content) => {
        expect(readContent(writeContent(content))).toEqual(content);
      }),
    );
  });

  it("writes what was read in the same way again, with all other members", () => {
    fc.assert(
      fc.property(contents, others, (content, added) => {
        const once = writeContent({ ...content, others: added });
        const read = readContent(once);
        expect(read && writeContent(read)).toBe(once);
        expect(read?.isReadOnly).toBeUndefined();
      }),
    );
  });
});

it("no text makes reading, checking or writing throw", () => {
  const odd = fc.oneof(fc.jsonValue(), fc.constantFrom(1, 2, true, "text", "scan", "a"), fc.array(fc.object()));
  const member = (name: string) => ({ [name]: odd });
  const fields = fc.array(fc.record({ name: odd, type: odd, value: odd, fileName: odd }, { requiredKeys: [] }));
  const shaped = fc.record(
    {
      ...member("version"),
      ...member("title"),
      ...member("favourite"),
      ...member("tags"),
      fields: fc.oneof(odd, fields),
    },
    { requiredKeys: [] },
  );
  const texts = fc.oneof(fc.string({ unit: "binary" }), fc.json(), shaped.map(written));
  fc.assert(
    fc.property(texts, (any) => {
      const content = readContent(any);
      if (content === undefined) return;
      contentProblem(content);
      expect(readContent(writeContent(content))).toBeDefined();
    }),
    { numRuns: 1000 },
  );
});

describe("the problem of a content", () => {
  const fields = (count: number) => Array.from({ length: count }, (_, index) => text("", String(index)));
  const filled = (bytes: number): ItemContent => {
    const empty = writeContent({ title: "", fields: [text("")] });
    return { title: "", fields: [text("x".repeat(bytes - empty.length))] };
  };

  it.each<readonly [string, ItemContent]>([
    ["an empty title", { title: "", fields: [] }],
    ["the longest title, in characters", { title: "😀".repeat(limits.title), fields: [] }],
    ["the most fields", { title: "", fields: fields(limits.fields) }],
    ["the longest name", { title: "", fields: [text("", "x".repeat(limits.name))] }],
    ["the most bytes", filled(limits.bytes)],
  ])("is undefined for %s", (_, content) => expect(contentProblem(content)).toBeUndefined());

  it.each<readonly [string, ItemContent]>([
    ["The title has 501 characters. It can have at most 500.", { title: "x".repeat(501), fields: [] }],
    ["The item has 101 fields. It can have at most 100.", { title: "", fields: fields(101) }],
    [
      'The name of the field "xxxxxxxxxxxxxxxxxxxx…" has 101 characters. It can have at most 100.',
      { title: "", fields: [text("", "x".repeat(101))] },
    ],
    [
      "The item is 1 byte too large. It can have 36,654 bytes: shorten a text, or remove a file.",
      filled(limits.bytes + 1),
    ],
  ])("says what is too large: %s", (problem, content) => expect(contentProblem(content)).toBe(problem));

  it("counts bytes of UTF-8", () => {
    const content = { title: "", fields: [text("é".repeat(limits.bytes / 2))] };
    expect(contentProblem(content)).toMatch(/^The item is \d+ bytes too large/);
  });
});
