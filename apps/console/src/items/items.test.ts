import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type Item, ItemSchema } from "@platform-rpc/types";
import { describe, expect, it } from "vitest";
import { contentOf } from "../opening/open-content.js";
import { createRowOrder, createRows, lineOf, rowOf, wantedRows } from "./item-rows.js";
import { stateInWords, stateOf } from "./item-state.js";

function makeItem(itemId: string, changes: Partial<Item> = {}): Item {
  const encryptedPayload = { ciphertext: "c2VhbGVk" };
  const base = create(ItemSchema, { itemId, version: 1, kind: "login", encryptedPayload });
  return { ...base, ...changes };
}

describe("the state of an item", () => {
  const updatedAt = timestampFromDate(new Date("2026-02-27T12:00:00Z"));
  it.each([
    ["a live item has none", {}, ""],
    [
      "a tombstone is deleted for ever when its retention ends",
      { deleted: true },
      "Deleted. It is deleted for ever on March 29, 2026",
    ],
    [
      "a tombstone without content is deleted for ever",
      { deleted: true, encryptedPayload: undefined },
      "Deleted for ever",
    ],
  ] as const)("%s", (_, changes, words) => {
    expect(stateInWords(stateOf(makeItem("a", { updatedAt, ...changes }), 30))).toBe(words);
  });

  it("names no day before the retention is known", () => {
    expect(stateInWords(stateOf(makeItem("a", { updatedAt, deleted: true }), undefined))).toBe("Deleted");
  });
});

describe("the text of a content", () => {
  it("has a title and fields, and shows other values as JSON", () => {
    const text = JSON.stringify({ title: "Mail", fields: { user: "ada", port: 993 } });
    expect(contentOf(text, 3)).toEqual({
      title: "Mail",
      fields: [
        { name: "user", type: "text", value: "ada" },
        { name: "port", type: "text", value: "993" },
      ],
      sealedVersion: 3,
    });
  });

  it.each(["", "1", "[]", "null", "{}", '{"title":1}', '{"title":"a","fields":[]}'])(
    "explains an unknown form: %s",
    (text) => {
      expect(contentOf(text, 3).closed).toMatch(/form that your vault does not know/);
    },
  );
});

describe("the rows of the list", () => {
  const rows = [
    rowOf("v", makeItem("1"), {
      title: "Äpfel 10",
      fields: [{ name: "username", type: "text", value: "ada" }],
      sealedVersion: 1,
    }),
    rowOf("v", makeItem("2", { kind: "secure_note" }), { title: "äpfel 9", fields: [], sealedVersion: 1 }),
    rowOf("v", makeItem("3", { deleted: true }), { title: "Birnen", fields: [], sealedVersion: 1 }),
    rowOf("v", makeItem("4"), { closed: "The item was not shared with you." }),
    rowOf("w", makeItem("1"), { title: "Pflaumen", fields: [], sealedVersion: 1 }),
  ];
  const keys = (search: string, { deleted = false, vaultId }: { deleted?: boolean; vaultId?: string } = {}) =>
    wantedRows(createRowOrder()(rows), { search, deleted, vaultId }).map(({ key }) => key);

  it("are ordered by title, with numbers by their value", () => expect(keys("")).toEqual(["v/2", "v/1", "v/4", "w/1"]));
  it("contain the searched text in title, kind or user name, whatever its case", () => {
    expect(keys(" ÄPFEL ")).toEqual(["v/2", "v/1"]);
    expect(keys("SECURE NOTE")).toEqual(["v/2"]);
    expect(keys("ada")).toEqual(["v/1"]);
  });
  it("stay the same objects while their items and contents do, so that they are not rendered again", () => {
    const rowOf = createRows();
    const item = makeItem("1");
    const content = { title: "Birnen", fields: [], sealedVersion: 1 };
    const row = rowOf("v", item, content);
    expect(rowOf("v", item, content)).toBe(row);
    expect(rowOf("v", item, { ...content, title: "Pflaumen" }).title).toBe("Pflaumen");
    expect(rowOf("v", makeItem("1"), content)).not.toBe(row);
  });
  it("are ordered again when titles change, and those that are not decrypted are last", () => {
    const order = createRowOrder();
    const titled = (title: string, itemId: string) =>
      rowOf("v", makeItem(itemId), { title, fields: [], sealedVersion: 1 });
    const shown = (...rows: ReturnType<typeof rowOf>[]) => order(rows).map(({ item }) => item.itemId);
    expect(shown(rowOf("v", makeItem("1"), undefined), titled("c", "2"), titled("b", "3"))).toEqual(["3", "2", "1"]);
    expect(shown(titled("d", "1"), titled("a", "2"), titled("b", "3"))).toEqual(["2", "3", "1"]);
    expect(shown(titled("a", "3"), titled("b", "4"))).toEqual(["3", "4"]);
  });
  it("contain either tombstones or live items", () => expect(keys("", { deleted: true })).toEqual(["v/3"]));
  it("contain the items of one vault if it is wanted", () => expect(keys("", { vaultId: "w" })).toEqual(["w/1"]));
});

describe("the line below the title", () => {
  const line = (kind: string, ...fields: (readonly [string, string])[]) =>
    lineOf(
      rowOf("v", makeItem("1", { kind }), {
        title: "t",
        fields: fields.map(([name, value]) => ({ name, type: "text", value })),
        sealedVersion: 1,
      }),
    );
  it.each([
    ["the user name of a login", line("login", ["Username", "ada"]), "ada"],
    [
      "the end of a card's number",
      line("card", ["number", "4111 1111 1111 1111"], ["expires", "12/30"]),
      "•••• 1111 · 12/30",
    ],
    ["the kind of a card with another number", line("card", ["number", "4711"]), "Card"],
    ["the kind of a login without a user name", line("login", ["username", ""]), "Login"],
    ["the kind that a program has made up", line("wifi_network", ["number", "4111111111111111"]), "Wifi network"],
  ])("is %s", (_, shown, expected) => expect(shown).toBe(expected));
});
