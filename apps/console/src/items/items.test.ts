import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type Item, ItemSchema } from "@platform-rpc/types";
import { describe, expect, it } from "vitest";
import { bestFirst, createRowOrder, createRows, lineOf, rowOf, type Wanted, wantedRows } from "./item-rows.js";
import { stateInWords, stateOf } from "./item-state.js";
import { monogramOf } from "./kind-icon.js";

const revision = { version: 1, hash: "" };

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

describe("the rows of the list", () => {
  const rows = [
    rowOf("v", makeItem("1"), {
      title: "Äpfel 10",
      fields: [
        { name: "username", type: "text", value: "ada" },
        { name: "notes", type: "note", value: "Rue de l'Église, Straße 5" },
        { name: "password", type: "secret", value: "hunter2" },
      ],
      tags: ["Köln"],
      favourite: true,
      revision,
    }),
    rowOf("v", makeItem("2", { kind: "secure_note" }), { title: "äpfel 9", fields: [], revision }),
    rowOf("v", makeItem("3", { deleted: true, updatedAt: timestampFromDate(new Date(0)) }), {
      title: "Birnen",
      fields: [],
      revision,
    }),
    rowOf("v", makeItem("4"), { closed: "The item was not shared with you." }),
    rowOf("v", makeItem("5", { deleted: true, encryptedPayload: undefined }), { closed: "It was deleted for ever." }),
    rowOf("w", makeItem("1"), { title: "Pflaumen", fields: [], revision }),
  ];
  const keys = (search: string, wanted: Partial<Wanted> = {}) =>
    wantedRows(createRowOrder()(rows), { search, deleted: false, vaultId: undefined, ...wanted }).map(({ key }) => key);

  it("are ordered by title, with numbers by their value", () => expect(keys("")).toEqual(["v/2", "v/1", "v/4", "w/1"]));
  it.each([
    [" ÄPFEL ", ["v/2", "v/1"]],
    ["apfel", ["v/2", "v/1"]],
    ["SECURE NOTE", ["v/2"]],
    ["ada", ["v/1"]],
    ["eglise koln 10 ÄPF", ["v/1"]],
    ["STRASSE", ["v/1"]],
    ["apfel pflaumen", []],
    ["hunter2", []],
  ])(
    "contain all searched words, in any order and place but secrets, without case and accents: %s",
    (search, found) => {
      expect(keys(search)).toEqual(found);
    },
  );
  it.each([
    ["mail", ["Mail", "Mail archive", "My mail", "Gmail", "Bank"]],
    ["my mail", ["My mail", "Mail", "Mail archive", "Bank", "Gmail"]],
    ["", ["Bank", "Gmail", "Mail", "Mail archive", "My mail"]],
  ])("are sorted by how well they match what was searched: %s", (search, sorted) => {
    const found = ["Bank", "Gmail", "Mail", "Mail archive", "My mail"].map((title) =>
      rowOf("v", makeItem(title), { title, fields: [{ name: "notes", type: "note", value: "my mail" }], revision }),
    );
    expect(bestFirst(found, search).map(({ title }) => title)).toEqual(sorted);
  });
  it("stay the same objects while their items and contents do, so that they are not rendered again", () => {
    const rowOf = createRows();
    const item = makeItem("1");
    const content = { title: "Birnen", fields: [], revision };
    const row = rowOf("v", item, content);
    expect(rowOf("v", item, content)).toBe(row);
    expect(rowOf("v", item, { ...content, title: "Pflaumen" }).title).toBe("Pflaumen");
    expect(rowOf("v", makeItem("1"), content)).not.toBe(row);
  });
  it("contain either live items or tombstones that can be restored", () =>
    expect(keys("", { deleted: true })).toEqual(["v/3"]));
  it.each<[Partial<Wanted>, readonly string[]]>([
    [{ vaultId: "w" }, ["w/1"]],
    [{ favourites: true }, ["v/1"]],
    [{ kind: "secure_note" }, ["v/2"]],
    [{ tag: "Köln" }, ["v/1"]],
    [{ tag: "Köln", kind: "secure_note" }, []],
  ])("contain what %j selects", (wanted, found) => expect(keys("", wanted)).toEqual(found));
  it("have a letter and a colour only as logins that can be opened, always the same for a title", () => {
    const monograms = rows.map((row) => monogramOf(row)?.letter);
    expect(monograms).toEqual(["Ä", undefined, "B", undefined, undefined, "P"]);
    const [row] = rows;
    expect(row && monogramOf(row)).toEqual(row && monogramOf({ ...row, key: "w/9" }));
  });
});

describe("the line below the title", () => {
  const line = (kind: string, ...fields: (readonly [string, string])[]) =>
    lineOf(
      rowOf("v", makeItem("1", { kind }), {
        title: "t",
        fields: fields.map(([name, value]) => ({ name, type: "text", value })),
        revision,
      }),
    );
  it.each([
    ["the user name of a login", line("login", ["Username", "ada"]), "ada"],
    [
      "the end of a card's number",
      line("card", ["number", "4111 1111 1111 1111"], ["expires", "12/30"]),
      "•••• 1111 · 12/30",
    ],
    ["the kind that a program has made up", line("wifi_network", ["number", "4111111111111111"]), "Wifi network"],
  ])("is %s", (_, shown, expected) => expect(shown).toBe(expected));
});
