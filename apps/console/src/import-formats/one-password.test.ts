import { strToU8, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { readImport } from "./read-import.js";

const section = (title: string, ...fields: readonly object[]) => ({ title, fields });
const field = (id: string, title: string, value: object) => ({ id, title, value, guarded: false });

const items = [
  {
    categoryUuid: "001",
    favIndex: 1,
    state: "active",
    overview: {
      title: "Mail",
      url: "https://a.example.com",
      urls: [{ label: "", url: "https://a.example.com" }, { url: "https://b.example.com" }],
      tags: ["mail"],
    },
    details: {
      loginFields: [
        { value: "ada", name: "username", fieldType: "T", designation: "username" },
        { value: "hunter2", name: "password", fieldType: "P", designation: "password" },
        { value: "blue", name: "colour", fieldType: "T" },
      ],
      notesPlain: "First",
      sections: [
        section("", field("TOTP_1", "one-time password", { totp: "GEZDGNBV" })),
        section(
          "Recovery",
          field("x", "Question", { string: "Which?" }),
          field("y", "Answer", { concealed: "That" }),
          field("z", "", { email: { email_address: "ada@example.com", provider: "" } }),
          field("w", "Since", { date: 1_704_067_200 }),
          field("small", "Scan", { file: { fileName: "scan.txt", documentId: "d1", decryptedSize: 5 } }),
          field("large", "Film", { file: { fileName: "film.mp4", documentId: "d2", decryptedSize: 40_000 } }),
        ),
      ],
      passwordHistory: [{ value: "old", time: 1_704_067_200 }],
    },
  },
  {
    categoryUuid: "002",
    overview: { title: "Visa" },
    details: {
      sections: [
        section(
          "",
          field("cardholder", "cardholder name", { string: "Ada" }),
          field("type", "type", { creditCardType: "visa" }),
          field("ccnum", "number", { creditCardNumber: "4111" }),
          field("expiry", "expiry date", { monthYear: 203_012 }),
          field("cvv", "verification number", { concealed: "123" }),
        ),
      ],
    },
  },
  { categoryUuid: "003", overview: { title: "Note" }, details: { notesPlain: "Text", sections: [] } },
  {
    categoryUuid: "114",
    overview: { title: "Key" },
    details: {
      sections: [
        section(
          "",
          field("private_key", "private key", {
            sshKey: {
              privateKey: "PRIVATE",
              metadata: { privateKey: "PRIVATE", publicKey: "ssh-ed25519 AAAA", fingerprint: "SHA256:x", keyType: {} },
            },
          }),
        ),
      ],
    },
  },
  {
    categoryUuid: "006",
    overview: { title: "Paper" },
    details: { documentAttributes: { fileName: "paper.txt", documentId: "d1", decryptedSize: 5 }, sections: [] },
  },
  {
    categoryUuid: "106",
    overview: { title: "Passport" },
    details: { sections: [section("", field("number", "number", { string: "P1" }))] },
  },
  { categoryUuid: "001", state: "archived", overview: { title: "Old" }, details: {} },
  null,
];

function archiveOf(accounts: unknown) {
  return zipSync({
    "export.attributes": strToU8(JSON.stringify({ version: 3, description: "1Password Unencrypted Export" })),
    "export.data": strToU8(JSON.stringify({ accounts })),
    "files/d1__scan.txt": strToU8("Hello"),
    "files/d2__film.mp4": new Uint8Array(40_000),
  });
}

const read = (bytes: Uint8Array) => readImport(Uint8Array.from(bytes));

describe("the archive of 1Password", () => {
  it("has every category and field, and small files", async () => {
    const result = await read(archiveOf([{ vaults: [{ attrs: { name: "Personal" }, items }] }]));
    if (result.outcome === "failed") throw new Error(result.message);
    const lines = result.items.map(({ kind, content: { title, tags, favourite, fields } }) => [
      `${kind} ${title}${favourite ? " ★" : ""} ${tags?.join(" ")}`,
      ...fields.map(({ name, type, value, fileName = "" }) => `${name} (${type}) ${value}${fileName}`),
    ]);
    expect(lines).toEqual([
      [
        "login Mail ★ Personal mail",
        "username (text) ada",
        "password (secret) hunter2",
        "website (url) https://a.example.com",
        "website (url) https://b.example.com",
        "one_time_code (totp) GEZDGNBV",
        "notes (note) First",
        "colour (text) blue",
        "Recovery: Question (text) Which?",
        "Recovery: Answer (secret) That",
        "Recovery: Z (email) ada@example.com",
        "Recovery: Since (date) 2024-01-01",
        "file (file) SGVsbG8scan.txt",
        "Password until 2024-01-01 (secret) old",
      ],
      [
        "card Visa Personal",
        "cardholder (text) Ada",
        "number (secret) 4111",
        "expires (month) 2030-12",
        "security_code (secret) 123",
        "type (text) visa",
      ],
      ["secure_note Note Personal", "notes (note) Text"],
      [
        "ssh_key Key Personal",
        "public_key (text) ssh-ed25519 AAAA",
        "private_key (secret) PRIVATE",
        "fingerprint (text) SHA256:x",
      ],
      ["file Paper Personal", "file (file) SGVsbG8paper.txt"],
      ["secure_note Passport Personal", "number (text) P1"],
    ]);
    expect(result.skipped).toEqual([
      { where: "“Mail”", why: expect.stringContaining("“film.mp4” is too large"), isPart: true },
      { where: "“Old”", why: expect.stringContaining("archived") },
      { where: "Item 8", why: expect.stringContaining("not known") },
    ]);
  });

  it("that claims to contain more than a browser can read is rejected before it is decompressed", async () => {
    const bomb = zipSync({ "export.data": new Uint8Array(80 * 1024 * 1024) });
    expect(bomb.byteLength).toBeLessThan(200_000);
    const started = performance.now();
    expect(await read(bomb)).toMatchObject({ message: expect.stringContaining("more than a browser") });
    expect(performance.now() - started).toBeLessThan(200);
  });

  it("that lies about its size is cut, and so no JSON", async () => {
    const bomb = zipSync({ "export.data": new Uint8Array(1024 * 1024) });
    const view = new DataView(bomb.buffer, bomb.byteOffset);
    const directory = view.getUint32(bomb.byteLength - 22 + 16, true);
    view.setUint32(directory + 24, 100, true);
    expect(await read(bomb)).toMatchObject({ outcome: "failed" });
  });

  it.each([
    [archiveOf([]), "has no items"],
    [zipSync({ "other.txt": strToU8("x") }), "no export of 1Password, Bitwarden or Proton Pass"],
    [archiveOf([]).slice(0, 200), "is not complete"],
  ])("that is broken is rejected", async (bytes, words) => {
    expect(await read(bytes)).toMatchObject({ outcome: "failed", message: expect.stringContaining(words) });
  });
});
