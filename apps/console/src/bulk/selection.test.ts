import { create } from "@bufbuild/protobuf";
import { ItemSchema } from "@platform-rpc/types";
import { describe, expect, it } from "vitest";
import { rowOf } from "../items/item-rows.js";
import type { Content } from "../opening/open-content.js";
import { emptySelection, selectAll, selectRange, toggle } from "./selection.js";

const revision = { version: 1, hash: "" };

function row(itemId: string, { version = 1 } = {}) {
  return rowOf("v", create(ItemSchema, { itemId, version }), { title: itemId, fields: [], revision });
}
const unreadable = (content: Content | undefined) => rowOf("v", create(ItemSchema, { itemId: "x" }), content);

const rows = [row("a"), row("b"), row("d"), row("e")];
const ids = (selection: ReadonlyMap<string, unknown>) => [...selection.keys()].map((key) => key.replace("v/", ""));

describe("a selection", () => {
  it("contains an item until it is toggled again", () => {
    const once = toggle(emptySelection, row("a"));
    expect(ids(once)).toEqual(["a"]);
    expect(ids(toggle(once, row("a", { version: 2 })))).toEqual([]);
  });

  it("keeps the version that was selected", () => {
    const once = toggle(emptySelection, row("a"));
    expect(selectAll(once, [row("a", { version: 2 }), row("b", { version: 3 })]).get("v/a")?.item.version).toBe(1);
  });

  it.each([
    ["down", "a", "d", ["a", "b", "d"]],
    ["up", "e", "b", ["b", "d", "e"]],
    ["from a row that is not shown", "x", "d", ["d"]],
    ["to itself", "b", "b", ["b"]],
  ])("has a range: %s", (_, from, to, selected) => {
    expect(ids(selectRange(emptySelection, rows, { fromKey: `v/${from}`, to: row(to) }))).toEqual(selected);
  });

  it.each([
    ["that is not decrypted yet", undefined],
    ["that cannot be opened", { closed: "The content was altered." }],
  ])("contains no item %s", (_, content) => {
    expect(ids(toggle(emptySelection, unreadable(content)))).toEqual([]);
    expect(ids(selectAll(emptySelection, [row("a"), unreadable(content)]))).toEqual(["a"]);
  });
});
