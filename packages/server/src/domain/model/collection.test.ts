import { describe, expect, it } from "vitest";
import { storedRecords } from "../../testing/stored-records.js";
import { defineCollection, RecordError } from "./collection.js";
import { flag, list, number, object, optional, text, word } from "./schema.js";

interface Mark {
  readonly name: string;
  readonly at: number | undefined;
}

const schema = object<Mark>({ name: text, at: optional(number) });
const keyOf = ({ name: key }: Mark) => ({ tenantId: "acme", key });
const marks = defineCollection<Mark>("mark", {
  schema,
  keyOf,
  ownerOf: ({ name: principalId }) => ({ principalId }),
  expiresAt: ({ at }) => at,
  links: ({ name }) => [["other", name]],
});
const first = marks.create({ name: "a", at: 50 }, 7);
const { record } = first;

describe("the records of a collection", () => {
  it("returns what was written, and nothing for a record that does not exist", () => {
    expect(marks.find(storedRecords(first), "acme", "a")).toEqual({ name: "a", at: 50 });
    expect(marks.find(storedRecords(first), "acme", "b")).toBeUndefined();
    expect(marks.find(storedRecords(first), "other", "a")).toBeUndefined();
    expect(marks.key("acme", "a")).toEqual({ tenantId: "acme", collection: "mark", key: "a" });
  });

  it("says where a record is, who owns it, when it expires, and what is read with it", () => {
    expect(record).toMatchObject({ tenantId: "acme", collection: "mark", key: "a", principalId: "a", expiresAt: 50 });
    expect(first.links).toEqual([["other", "a"]]);
  });

  it("a write that replaces a record has the next revision, and keeps the time of its creation", () => {
    expect(record).toMatchObject({ revision: 1, createdAt: 7 });
    const second = marks.put(storedRecords(first), { name: "a", at: 60.5 }, 9);
    expect(second.record).toMatchObject({ revision: 2, createdAt: 7 });
    expect(marks.read(second.record)).toEqual({ name: "a", at: 60.5 });
    expect(marks.put(storedRecords(), { name: "a", at: 60 }, 9).record).toMatchObject({ revision: 1, createdAt: 9 });
  });

  it("a record that a restored backup has ended counts as absent, also when the clock is set back", () => {
    expect(marks.read({ ...record, expiresAt: 49 })).toBeUndefined();
    expect(marks.read({ ...record, expiresAt: 51 })).toEqual({ name: "a", at: 50 });
  });

  it("a record that was read has the writes that replace and remove it, unless it has changed", () => {
    const found = marks.open({ ...record, revision: 4 });
    expect(found?.value).toEqual({ name: "a", at: 50 });
    const replaced = { ...record, createdAt: 7, expiresAt: 60, value: '{"name":"a","at":60}', revision: 5 };
    expect(found?.replace({ name: "a", at: 60 })).toEqual({
      record: replaced,
      links: [["other", "a"]],
      expectedRevision: 4,
    });
    expect(found?.remove()).toMatchObject({ record: { key: "a", value: "{}", expiresAt: 0 }, expectedRevision: 4 });
    expect(marks.open(undefined)).toBeUndefined();
    expect(marks.open({ ...record, expiresAt: 49 })).toBeUndefined();
  });

  it("an immutable record is written again only with the same value, and can be removed", () => {
    const fixed = defineCollection<Mark>("mark", { schema, keyOf, immutable: true });
    const stored = fixed.create({ name: "a", at: 50 }, 7);
    const rewritten = /^The record a of the collection mark must not change once it is stored/;
    expect(() => fixed.put(storedRecords(stored), { name: "a", at: 51 }, 8)).toThrow(rewritten);
    expect(() => fixed.open(stored.record)?.replace({ name: "a", at: 51 })).toThrow(rewritten);
    expect(fixed.put(storedRecords(stored), { name: "a", at: 50 }, 8).record).toMatchObject({ revision: 2 });
    expect(fixed.open(stored.record)?.remove().record).toMatchObject({ value: "{}" });
  });

  it("accepts members that another version has written", () => {
    expect(marks.read({ ...record, value: '{"name":"a","at":50,"new":1}' })).toMatchObject({ name: "a" });
  });

  it.each([
    ["no JSON", '{"name":"secret', /^The value is not JSON\.$/],
    ["no object", "[1]", /name is missing: a text was expected/],
    ["null", "null", /^The value is not an object\.$/],
    ["without a member", '{"at":1}', /name is missing: a text was expected/],
    ["with a member of another type", '{"name":"a","at":"1"}', /at has another type: a number was expected/],
  ])("a record that is damaged (%s) is an error that names the record and the member", (_, value, cause) => {
    const read = () => marks.read({ ...record, value });
    expect(read).toThrow(RecordError);
    expect(read).toThrow(/record a of the collection mark/);
    expect(read).toThrow(
      expect.objectContaining({ cause: expect.objectContaining({ message: expect.stringMatching(cause) }) }),
    );
  });
});

describe("the schema of a value", () => {
  it.each([
    ["true or false", flag, false, 0],
    ["one of some words", word("red", "green"), "green", "blue"],
    ["a list", list(text), ["a"], ["a", 1]],
    ["a list", list(text), [], "a"],
  ])("accepts %s, and nothing else", (_, schema, good, bad) => {
    expect(schema(good)).toEqual(good);
    expect(() => schema(bad)).toThrow(TypeError);
  });

  it("says that a list was expected", () => {
    expect(() => list(text)("a")).toThrow("has another type: a list was expected");
  });
});
