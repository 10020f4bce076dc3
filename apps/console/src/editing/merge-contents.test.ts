import type { ContentField, ItemContent } from "@platform-rpc/items/item-content";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isSameField, partsOf } from "../detail/fields.js";
import { mergeContents } from "./merge-contents.js";

const field = (name: string, value: string): ContentField => ({ name, type: "text", value });

/** A content with a field for each entry. */
function content(fields: Readonly<Record<string, string>>, others: Partial<ItemContent> = {}): ItemContent {
  const { title = "Mail", ...rest } = fields;
  return { title, fields: Object.entries(rest).map(([name, value]) => field(name, value)), ...others };
}

describe("two contents that began as the same one", () => {
  const base = { user: "ada", password: "old" };
  it.each([
    ["different fields were changed", { user: "eve" }, { password: "new" }, { user: "eve", password: "new" }],
    ["the title and a field were changed", { title: "Post" }, { user: "eve" }, { title: "Post", user: "eve" }],
    ["both made the same change", { user: "eve" }, { user: "eve" }, { user: "eve" }],
    ["a field was added on each side", { pin: "1" }, { site: "a" }, { pin: "1", site: "a" }],
    ["a field was emptied", { user: "" }, { password: "new" }, { user: "", password: "new" }],
  ] as const)("are merged without a question if %s", (_, mine, theirs, merged) => {
    const versions = {
      base: content(base),
      mine: content({ ...base, ...mine }),
      theirs: content({ ...base, ...theirs }),
    };
    const { content: result, conflicts } = mergeContents(versions);
    expect(conflicts).toEqual([]);
    expect(partsOf(result)).toEqual(partsOf(content({ ...base, ...merged })));
  });

  it.each([
    ["a field got two values", { user: "eve" }, { user: "bob" }, ["user 1"]],
    ["the title did", { title: "A" }, { title: "B" }, ["title"]],
    ["a field was emptied on one side and changed on the other", { user: "" }, { user: "bob" }, ["user 1"]],
    ["a field of the same name was added on each side", { pin: "1" }, { pin: "2" }, ["pin 1"]],
  ] as const)("are asked about only the field that both changed if %s", (_, mine, theirs, asked) => {
    const versions = {
      base: content(base),
      mine: content({ ...base, ...mine }),
      theirs: content({ ...base, ...theirs, password: "new" }),
    };
    const { conflicts, content: result } = mergeContents(versions);
    expect(conflicts.map(({ key }) => key)).toEqual(asked);
    expect(partsOf(result).get("password 1")?.value).toBe("new");
    const [key = expect.unreachable("there is a conflict")] = asked;
    const chosen = mergeContents(versions, new Map([[key, "theirs"]])).content;
    expect(partsOf(chosen).get(key)).toEqual(partsOf(versions.theirs).get(key));
  });

  it("keep a file that contains nothing", () => {
    const empty: ContentField = { name: "scan", type: "file", value: "", fileName: "empty.bin" };
    const mine = { ...content(base), fields: [...content(base).fields, empty] };
    const { content: merged } = mergeContents({ base: content(base), mine, theirs: content({ ...base, user: "eve" }) });
    expect(merged.fields).toContainEqual(empty);
  });

  it("have the tags that either added, without those that either removed, and the mark of the side that changed it", () => {
    const merged = mergeContents({
      base: content(base, { tags: ["a", "b", "c"] }),
      mine: content(base, { tags: ["a", "c", "mine"] }),
      theirs: content(base, { tags: ["a", "b", "theirs"], favourite: true, others: { by: "another program" } }),
    });
    expect(merged.conflicts).toEqual([]);
    expect(merged.content).toMatchObject({
      tags: ["a", "mine", "theirs"],
      favourite: true,
      others: { by: "another program" },
    });
  });

  it("are asked about every difference if it is not known what they began with", () => {
    const versions = { base: undefined, mine: content({ user: "ada", pin: "1" }), theirs: content({ user: "eve" }) };
    expect(mergeContents(versions).conflicts.map(({ key }) => key)).toEqual(["user 1", "pin 1"]);
  });
});

it("no change of either side is lost: it is in the result, or it is asked about", () => {
  const someContent = fc
    .record({
      title: fc.constantFrom("", "A", "B"),
      fields: fc.array(fc.tuple(fc.constantFrom("user", "site"), fc.constantFrom("", "1", "2")), { maxLength: 4 }),
    })
    .map(({ title, fields }): ItemContent => ({ title, fields: fields.map(([name, value]) => field(name, value)) }));
  fc.assert(
    fc.property(someContent, someContent, someContent, (base, mine, theirs) => {
      const { content, conflicts } = mergeContents({ base, mine, theirs });
      const mirrored = mergeContents({ base, mine: theirs, theirs: mine });
      const keys = conflicts.map(({ key }) => key);
      expect(new Set(mirrored.conflicts.map(({ key }) => key))).toEqual(new Set(keys));
      expect(mergeContents({ base, mine, theirs: base }).conflicts).toEqual([]);
      const all = mergeContents({ base, mine, theirs }, new Map(keys.map((key) => [key, "theirs"]))).content;
      const [was, ours, their] = [partsOf(base), partsOf(mine), partsOf(theirs)];
      // Fields are told apart by their order: what is kept keeps the order of its side, and so its values.
      const kept = (side: typeof ours, result: ItemContent) => {
        const values = result.fields.map(({ name, value }) => `${name} ${value}`).concat(`title ${result.title}`);
        for (const [key, changed] of side) {
          if (isSameField(changed, was.get(key))) continue;
          expect(values).toContain(`${changed.name} ${changed.value}`);
        }
      };
      kept(ours, content);
      kept(their, all);
    }),
  );
});
