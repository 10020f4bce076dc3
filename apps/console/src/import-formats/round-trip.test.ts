import { writeBitwardenJson } from "@platform-rpc/items/bitwarden-json";
import { type ContentField, contentProblem, type FieldType, writeContent } from "@platform-rpc/items/item-content";
import { fieldsOfKind } from "@platform-rpc/items/kind-fields";
import { writeVaultFile } from "@platform-rpc/items/vault-file";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { ImportedItem } from "./format.js";
import { readImport } from "./read-import.js";

const passphrase = "four words that nobody says";

async function itemsIn(file: string): Promise<readonly ImportedItem[]> {
  const result = await readImport(new TextEncoder().encode(file), { password: passphrase });
  if (result.outcome === "failed") throw new Error(result.message);
  return result.items;
}

/** A text of one line, without spaces around it. */
const line = fc
  .string({ minLength: 1, maxLength: 30, unit: "grapheme" })
  .map((text) => text.replaceAll(/\s/g, " ").trim() || "x");

const values: Readonly<Record<FieldType, fc.Arbitrary<string>>> = {
  ...{ text: line, secret: fc.string({ minLength: 1 }), url: line, email: line, phone: line, totp: line, file: line },
  date: fc.constantFrom("1815-12-10", "soon"),
  month: fc.constantFrom("2031-06", "2031-12"),
  note: fc.array(line, { minLength: 1, maxLength: 3 }).map((lines) => lines.join("\n")),
};

const kinds = ["login", "secure_note", "card", "identity", "ssh_key"] as const;

/** Items with every field of their kind, and with others. */
const item: fc.Arbitrary<ImportedItem> = fc.constantFrom(...kinds).chain((kind) => {
  const defined = fieldsOfKind(kind);
  const isFree = (name: string) => defined.every((each) => each.name !== name);
  const own = defined.map(({ name, type }) => values[type].map((value): ContentField => ({ name, type, value })));
  const other = (type: "text" | "secret") =>
    fc.record({ name: line.filter(isFree), type: fc.constant(type), value: values[type] });
  return fc
    .tuple(fc.tuple(...own), fc.array(fc.oneof(other("text"), other("secret"))), line, fc.option(line), fc.boolean())
    .map(([fields, others, title, tag, favourite]) => ({
      kind,
      content: {
        ...{ title, fields: [...fields, ...others] },
        ...(favourite && { favourite }),
        ...(tag !== null && { tags: [tag] }),
      },
    }));
});

it("Bitwarden JSON that the vault exports is imported as the same items", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(item, { minLength: 1, maxLength: 5 }), async (items) => {
      expect(await itemsIn(writeBitwardenJson(items))).toEqual(items);
    }),
  );
});

it("the encrypted file that the vault exports is imported as the same items, with the vault as a tag", async () => {
  const vault = line.filter((name) => name.length > 0);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(item, vault), { minLength: 1, maxLength: 5 }), async (listed) => {
      const file = listed.map(([{ kind, content }, name]) => ({ kind, content: writeContent(content), vault: name }));
      const expected = listed.map(([{ kind, content }, name]) => {
        const tagged = { ...content, tags: [...new Set([...(content.tags ?? []), name])] };
        return { kind, content: contentProblem(tagged) === undefined ? tagged : content };
      });
      expect(await itemsIn(await writeVaultFile(file, passphrase))).toEqual(expected);
    }),
    { numRuns: 5 },
  );
});
