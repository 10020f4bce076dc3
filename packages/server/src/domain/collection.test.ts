import { describe, expect, it } from "vitest";
import { DocumentError, defineCollection } from "./collection.js";
import { number, object, optional, text } from "./schema.js";

interface Mark {
  readonly name: string;
  readonly at: number | undefined;
}

const marks = defineCollection<Mark>("mark", object({ name: text, at: optional(number) }));
const first = marks.put(undefined, { key: "k-1", tenantId: "acme", value: { name: "a", at: undefined } }, 7).record;

describe("the documents of a collection", () => {
  it("returns what was written, and nothing for a document that does not exist", () => {
    expect(marks.read(first)).toEqual({ name: "a", at: undefined });
    expect(marks.read(undefined)).toBeUndefined();
    expect(marks.ref("k-1")).toEqual({ kind: "record", collection: first.collection, key: first.key });
  });

  it("a write that replaces a document has the next revision, and keeps the time of its creation", () => {
    expect(first).toMatchObject({ revision: 1, createdAt: 7 });
    const second = marks.put(first, { key: "k-1", tenantId: "acme", value: { name: "b", at: 1.5 } }, 9).record;
    expect(second).toMatchObject({ revision: 2, createdAt: 7 });
    expect(marks.read(second)).toEqual({ name: "b", at: 1.5 });
  });

  it("accepts members that another version has written", () => {
    expect(marks.read({ ...first, value: '{"name":"a","new":1}' })).toMatchObject({ name: "a" });
  });

  it.each([
    ["no JSON", '{"name":"secret', /^The value is not JSON\.$/],
    ["no object", "[1]", /name is missing: a text was expected/],
    ["null", "null", /^The value is not an object\.$/],
    ["without a member", '{"at":1}', /name is missing: a text was expected/],
    ["with a member of another type", '{"name":"a","at":"1"}', /at has another type: a number was expected/],
  ])("a document that is damaged (%s) is an error that names the document and the member", (_, value, cause) => {
    const read = () => marks.read({ ...first, value });
    expect(read).toThrow(DocumentError);
    expect(read).toThrow(/document k-1 of the collection mark/);
    expect(read).toThrow(
      expect.objectContaining({ cause: expect.objectContaining({ message: expect.stringMatching(cause) }) }),
    );
  });
});
