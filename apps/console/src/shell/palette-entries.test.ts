import { create } from "@bufbuild/protobuf";
import { ItemSchema } from "@platform-rpc/types";
import { describe, expect, it } from "vitest";
import { rowOf } from "../items/item-rows.js";
import { findEntries, itemEntries } from "./palette-entries.js";

const entry = (words: string, hint = "") => ({ id: words, icon: "items" as const, words, hint, run() {} });

describe("the entries of the palette", () => {
  const entries = [entry("My mail"), entry("Mail", "Family"), entry("Security")];
  const found = (search: string) => findEntries(entries, search).map(({ words }) => words);

  it("are found by each word, and those that begin with the text come first", () => {
    expect(found("")).toEqual(["My mail", "Mail", "Security"]);
    expect(found("mail")).toEqual(["Mail", "My mail"]);
    expect(found(" MAIL fam")).toEqual(["Mail"]);
    expect(found("nothing")).toEqual([]);
  });

  it("contain the items that can be opened", () => {
    const item = (itemId: string, deleted = false) => create(ItemSchema, { itemId, kind: "login", deleted });
    const content = {
      title: "Mail",
      fields: [{ name: "username", type: "text", value: "ada" } as const],
      revision: { version: 1, hash: "" },
    };
    const rows = [
      rowOf("v", item("a"), content),
      rowOf("v", item("b", true), content),
      rowOf("v", item("c"), { closed: "No key." }),
      rowOf("v", item("d"), undefined),
    ];
    const opened: string[] = [];
    const found = itemEntries(
      rows,
      () => "Personal",
      ({ key }) => opened.push(key),
    );
    expect(found.map(({ words, hint }) => [words, hint])).toEqual([["Mail", "ada · Personal"]]);
    found[0]?.run();
    expect(opened).toEqual(["v/a"]);
  });
});
