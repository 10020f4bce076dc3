import { create } from "@bufbuild/protobuf";
import type { ContentField, ItemContent } from "@platform-rpc/items/item-content";
import { ItemSchema } from "@platform-rpc/types";
import { describe, expect, it } from "vitest";
import { rowOf } from "../items/item-rows.js";
import type { OpenContent } from "../opening/open-content.js";
import { additionKey, compareItems, contentOf } from "./duplicates.js";

const field = (name: string, value: string): ContentField => ({
  ...{ name, value },
  type: name === "website" ? "url" : "text",
});
const login = [field("username", "ada"), field("password", "p"), field("website", "https://a.example")];
const item = (fields: readonly ContentField[], title = "A", kind = "login") => ({ kind, content: { title, fields } });
const row = (content: Partial<OpenContent>, kind = "login", deleted = false) =>
  rowOf("vault", create(ItemSchema, { itemId: "i", kind, deleted }), {
    title: "A",
    fields: login,
    revision: { version: 1, hash: "" },
    ...content,
  });

/** Returns what becomes of an item of a file: what is added to the stored one, "known", or "fresh". */
function compare(imported: ReturnType<typeof item>, stored: ReturnType<typeof row>) {
  const { fresh, known, changes } = compareItems([imported], [stored]);
  expect(fresh.length + known.length + changes.length).toBe(1);
  if (fresh.length > 0) return "fresh";
  return known.length > 0 ? "known" : changes[0]?.added.map(({ name }) => name);
}

const note = field("notes", "n");
const code = field("one_time_code", "c");
const long = field("notes", "x".repeat(30_000));

describe("an item of a file", () => {
  it.each<readonly [string, ReturnType<typeof item>, ReturnType<typeof row>, string | readonly string[]]>([
    ["with nothing more is known", item(login), row({ fields: [...login, note] }), "known"],
    ["with more changes the stored one", item([...login, code, note]), row({}), ["one_time_code", "notes"]],
    [
      "with other notes adds them",
      item([...login, note]),
      row({ fields: [...login, field("notes", "m")] }),
      ["notes (imported)"],
    ],
    [
      "whose other notes were added is known",
      item([...login, note]),
      row({ fields: [...login, field("notes (imported)", "n")] }),
      "known",
    ],
    [
      "with another page of the website adds it",
      item([...login.slice(0, 2), field("website", "https://a.example/login")]),
      row({}),
      ["website"],
    ],
    [
      "with another website is fresh",
      item([...login.slice(0, 2), field("website", "https://b.example")]),
      row({}),
      "fresh",
    ],
    ["with another password is fresh", item([field("username", "ada"), field("password", "q")]), row({}), "fresh"],
    ["with another title is fresh", item(login, "B"), row({}), "fresh"],
    [
      "without a password, and with another title, is fresh",
      item([field("username", "ada")], "B"),
      row({ fields: [field("username", "ada")] }),
      "fresh",
    ],
    ["fills an empty field", item([...login, note]), row({ fields: [...login, field("notes", "")] }), ["notes"]],
    ["with the host as its title is known", item(login, "a.example"), row({}), "known"],
    ["of another kind is fresh", item(login, "A", "card"), row({}), "fresh"],
    [
      "of a kind without logins changes a stored one that has less",
      item([field("number", "1"), field("pin", "2")], "A", "card"),
      row({ fields: [field("number", "1")] }, "card"),
      ["pin"],
    ],
    [
      "of a kind without logins with another value is fresh",
      item([field("number", "1")], "A", "card"),
      row({ fields: [field("number", "2")] }, "card"),
      "fresh",
    ],
    ["that was deleted in the vault is fresh", item(login), row({}, "login", true), "fresh"],
    [
      "too large for the stored one is fresh",
      item([...login, long]),
      row({ fields: [...login, field("x", long.value)] }),
      "fresh",
    ],
    ["changes nothing that nobody has verified", item([...login, code]), row({ isUnverified: true }), "fresh"],
    [
      "changes nothing that is older than what this browser has seen",
      item([...login, code]),
      row({ finding: { what: "older", seen: 3, sent: 1 } }),
      "fresh",
    ],
    ["changes nothing in a form that cannot be written", item([...login, code]), row({ isReadOnly: true }), "fresh"],
  ])("%s", (_, imported, stored, expected) => expect(compare(imported, stored)).toEqual(expected));

  it("is added with everything but what the person leaves out, also if two items change the same one", () => {
    const tagged: ItemContent = { title: "A", tags: ["Work"], fields: [...login, code] };
    const { changes } = compareItems([{ kind: "login", content: tagged }, item([...login, note])], [row({})]);
    const [change] = changes;
    expect(change && contentOf(change, new Set([additionKey(change, code)]))).toEqual({
      title: "A",
      tags: ["Work"],
      fields: [...login, note],
    });
  });
});
