import { writeContent } from "@platform-rpc/items/item-content";
import { writeVaultFile } from "@platform-rpc/items/vault-file";
import { describe, expect, it } from "vitest";
import { readImport } from "./read-import.js";

const login = {
  title: "Café ☕",
  favourite: true as const,
  tags: ["Work"],
  fields: [{ name: "password", type: "secret" as const, value: "hunter2\n" }],
  others: { of: "another program" },
};
const passphrase = "four words that nobody says";

async function write(...contents: readonly string[]) {
  const items = contents.map((content) => ({ kind: "login", content, vault: "Team" }));
  return new TextEncoder().encode(await writeVaultFile(items, passphrase));
}

describe("the encrypted file that the vault exports", () => {
  it("is imported as it was, with what other programs added, and the name of its vault as a tag", async () => {
    const read = await readImport(await write(writeContent(login)), { password: passphrase });
    expect(read).toEqual({
      outcome: "read",
      format: "Encrypted vault file",
      items: [{ kind: "login", content: { ...login, tags: ["Work", "Team"] } }],
      skipped: [],
    });
  });

  it("asks for its passphrase, and again after another one", async () => {
    const bytes = await write(writeContent(login));
    expect(await readImport(bytes)).toMatchObject({ outcome: "failed", needsPassword: true });
    expect(await readImport(bytes, { password: "another" })).toMatchObject({
      outcome: "failed",
      needsPassword: true,
      message: expect.stringContaining("The passphrase is wrong, or the file was altered."),
    });
  });

  it("lists an item whose content is not known, or has parts that are not", async () => {
    const newer = JSON.stringify({ version: 2, title: "Newer", fields: [] });
    const read = await readImport(await write(writeContent(login), "[]", newer), { password: passphrase });
    const skipped = [{ where: "Item 2" }, { where: "“Newer”", why: expect.stringContaining("cannot be changed here") }];
    expect(read).toMatchObject({ items: [{ kind: "login" }], skipped });
  });
});
