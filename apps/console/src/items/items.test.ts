import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type Item, ItemSchema } from "@platform-rpc/types";
import { describe, expect, it } from "vitest";
import { createContents } from "./contents.js";
import { stateInWords, stateOf } from "./item-content.js";
import { createRowOrder, rowOf, wantedRows } from "./item-rows.js";
import { contentOf } from "./open-content.js";

function makeItem(itemId: string, changes: Partial<Item> = {}): Item {
  const encryptedPayload = { ciphertext: "c2VhbGVk" };
  const base = create(ItemSchema, { itemId, version: 1, kind: "login", encryptedPayload });
  return { ...base, ...changes };
}

describe("the state of an item", () => {
  const updatedAt = timestampFromDate(new Date("2026-02-27T12:00:00Z"));
  it.each([
    ["a live item has none", {}, ""],
    ["a tombstone is destroyed when its retention ends", { deleted: true }, "Deleted; destroyed on Mar 29, 2026"],
    ["a tombstone without content is destroyed", { deleted: true, encryptedPayload: undefined }, "Destroyed"],
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
    expect(contentOf(text)).toEqual({
      title: "Mail",
      fields: [
        ["user", "ada"],
        ["port", "993"],
      ],
    });
  });

  it.each(["", "1", "[]", "null", "{}", '{"title":1}', '{"title":"a","fields":[]}'])(
    "explains an unknown form: %s",
    (text) => {
      expect(contentOf(text).closed).toMatch(/form that this console does not know/);
    },
  );
});

describe("the rows of the table", () => {
  const rows = [
    rowOf(makeItem("1"), { title: "Äpfel 10", fields: [] }),
    rowOf(makeItem("2", { kind: "card" }), { title: "äpfel 9", fields: [] }),
    rowOf(makeItem("3", { deleted: true }), { title: "Birnen", fields: [] }),
    rowOf(makeItem("4"), { closed: "The item was not shared with you." }),
  ];
  const ids = (search: string, deleted = false) =>
    wantedRows(createRowOrder()(rows), { search, deleted }).map(({ item }) => item.itemId);

  it("are ordered by title, with numbers by their value", () => expect(ids("")).toEqual(["2", "1", "4"]));
  it("contain the searched text in title or kind, whatever its case", () => {
    expect(ids(" ÄPFEL ")).toEqual(["2", "1"]);
    expect(ids("CARD")).toEqual(["2"]);
  });
  it("are ordered again when titles change, and those that are not decrypted are last", () => {
    const order = createRowOrder();
    const titled = (title: string, itemId: string) => rowOf(makeItem(itemId), { title, fields: [] });
    const shown = (...rows: ReturnType<typeof rowOf>[]) => order(rows).map(({ item }) => item.itemId);
    expect(shown(rowOf(makeItem("1"), undefined), titled("c", "2"), titled("b", "3"))).toEqual(["3", "2", "1"]);
    expect(shown(titled("d", "1"), titled("a", "2"), titled("b", "3"))).toEqual(["2", "3", "1"]);
    expect(shown(titled("a", "3"), titled("b", "4"))).toEqual(["3", "4"]);
  });
  it("contain tombstones only if they are wanted", () => expect(ids("birn", true)).toEqual(["3"]));
});

describe("the contents of a vault", () => {
  it("are opened once for each version, and forgotten with their item", async () => {
    const opened: string[] = [];
    const contents = createContents(async ({ itemId, version }) => {
      opened.push(`${itemId} ${version}`);
      return { title: itemId, fields: [] };
    });
    const [one, two] = [makeItem("one"), makeItem("two")];
    const changed = () => new Promise<void>((resolve) => contents.subscribe(resolve));
    let next = changed();
    contents.want([one, two]);
    await next;
    next = changed();
    contents.want([makeItem("one", { version: 2 }), two]);
    await next;
    expect(opened).toEqual(["one 1", "two 1", "one 2"]);
    expect(contents.get(one)).toBeUndefined();
    expect(contents.get(two)?.title).toBe("two");
  });
});
