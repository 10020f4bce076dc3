import { argon2id } from "@noble/hashes/argon2.js";
import { describe, expect, it } from "vitest";
import { readImport } from "./read-import.js";
import { encryptExport, exportSalt, withPbkdf2 } from "./testing/encrypted-bitwarden.js";

const utf8 = (text: string) => new TextEncoder().encode(text);

const plain = {
  encrypted: false,
  folders: [{ id: "f1", name: "Work" }],
  items: [
    {
      type: 1,
      name: "Mail",
      favorite: true,
      folderId: "f1",
      notes: "First",
      fields: [
        { name: "Tea", value: "green", type: 0 },
        { name: "PIN", value: "1234", type: 1 },
        { name: "Remember", value: "true", type: 2 },
        { name: "Copy", value: null, type: 3, linkedId: 100 },
      ],
      login: {
        username: "ada",
        password: "hunter2",
        totp: "GEZDGNBV",
        uris: [
          { match: null, uri: "https://a.example.com" },
          { match: 1, uri: "https://b.example.com" },
        ],
        fido2Credentials: [{ credentialId: "x" }],
      },
      passwordHistory: [{ password: "old", lastUsedDate: "2024-01-02T03:04:05.000Z" }],
    },
    { type: 2, name: "Note", notes: "Text", secureNote: { type: 0 } },
    {
      type: 3,
      name: "Visa",
      card: { cardholderName: "Ada", brand: "Visa", number: "4111", expMonth: "3", expYear: "2030", code: "123" },
    },
    {
      type: 4,
      name: "Me",
      identity: { firstName: "Ada", lastName: "L", address1: "1 Square", postalCode: "N1", city: "London", ssn: "12" },
    },
    {
      type: 5,
      name: "Key",
      sshKey: { privateKey: "PRIVATE", publicKey: "ssh-ed25519 AAAA", keyFingerprint: "SHA256:x" },
    },
    { type: 1, name: "Gone", deletedDate: "2024-01-02T03:04:05.000Z", login: {} },
    { type: 9, name: "New" },
  ],
};

async function withArgon2(content: string, password: string) {
  const hashed = new Uint8Array(await crypto.subtle.digest("SHA-256", utf8(exportSalt)));
  const derived = Uint8Array.from(argon2id(utf8(password), hashed, { t: 1, m: 16 * 1024, p: 4, dkLen: 32 }));
  return encryptExport(derived, { kdfType: 1, kdfIterations: 1, kdfMemory: 16, kdfParallelism: 4 }, content);
}

const read = (file: unknown, password?: string) =>
  readImport(utf8(typeof file === "string" ? file : JSON.stringify(file)), { password });

describe("the JSON of Bitwarden", () => {
  it("has logins, notes, cards, identities and SSH keys, and what has no place becomes a field", async () => {
    const result = await read(plain);
    if (result.outcome === "failed") throw new Error(result.message);
    const lines = result.items.map(({ kind, content: { title, tags, favourite, fields } }) => [
      kind,
      title,
      favourite === true,
      tags,
      ...fields.map(({ name, type, value }) => `${name} (${type}) ${value}`),
    ]);
    expect(lines).toEqual([
      [
        "login",
        "Mail",
        true,
        ["Work"],
        "username (text) ada",
        "password (secret) hunter2",
        "website (url) https://a.example.com",
        "website (url) https://b.example.com",
        "one_time_code (totp) GEZDGNBV",
        "notes (note) First",
        "Website match (text) https://b.example.com: host",
        "Tea (text) green",
        "PIN (secret) 1234",
        "Remember (text) true",
        "Copy (text) Linked to the username",
        "Password until 2024-01-02 (secret) old",
      ],
      ["secure_note", "Note", false, undefined, "notes (note) Text"],
      [
        "card",
        "Visa",
        false,
        undefined,
        "cardholder (text) Ada",
        "number (secret) 4111",
        "expires (month) 2030-03",
        "security_code (secret) 123",
        "Brand (text) Visa",
      ],
      [
        "identity",
        "Me",
        false,
        undefined,
        "first_name (text) Ada",
        "last_name (text) L",
        "address (note) 1 Square\nN1 London",
        "Ssn (secret) 12",
      ],
      [
        "ssh_key",
        "Key",
        false,
        undefined,
        "public_key (text) ssh-ed25519 AAAA",
        "private_key (secret) PRIVATE",
        "fingerprint (text) SHA256:x",
      ],
    ]);
    expect(result.skipped.map(({ where }) => where)).toEqual(["“Mail”", "“Gone”", "“New”"]);
  });

  it.each([
    ["PBKDF2", withPbkdf2],
    ["Argon2id", withArgon2],
  ])("with a password and %s is decrypted, and another password is rejected", async (_, encrypt) => {
    const file = await encrypt(JSON.stringify(plain), "correct horse");
    expect(await read(file)).toMatchObject({ outcome: "failed", needsPassword: true });
    expect(await read(file, "wrong")).toMatchObject({
      outcome: "failed",
      needsPassword: true,
      message: expect.stringContaining("The password is wrong"),
    });
    const result = await read(file, "correct horse");
    expect(result.outcome === "read" && result.items.length).toBe(5);
    const changed = { ...file, data: file.encKeyValidation_DO_NOT_EDIT.replace(/.$/, "A") };
    expect(await read(changed, "correct horse")).toMatchObject({ outcome: "failed", needsPassword: false });
  });

  it.each([
    { kdfType: 0, kdfIterations: 2_000_001 },
    { kdfType: 1, kdfIterations: 10, kdfMemory: 1024, kdfParallelism: 4 },
    { kdfType: 1, kdfIterations: 1_000, kdfMemory: 64, kdfParallelism: 4 },
    { kdfType: 1, kdfIterations: 3, kdfMemory: 64, kdfParallelism: 1e9 },
  ])("that would keep the browser busy for minutes is rejected at once: %j", async (settings) => {
    const file = {
      encrypted: true,
      passwordProtected: true,
      salt: exportSalt,
      ...settings,
      encKeyValidation_DO_NOT_EDIT: "",
      data: "",
    };
    const started = performance.now();
    expect(await read(file, "password")).toMatchObject({ message: expect.stringContaining("busy for minutes") });
    expect(performance.now() - started).toBeLessThan(500);
  });

  it.each([
    ['{"items": [\n{"name": "A"},\n{"name": B}]}', "line 3 is broken"],
    ['{"items": [', "Export it again, and choose"],
    [JSON.stringify({ some: "thing" }), "no list of items"],
    [JSON.stringify({ encrypted: true, passwordProtected: false }), "only by the account"],
    [JSON.stringify({ encrypted: false, items: [] }), "has no items"],
  ])("%s is rejected: %s", async (text, words) => {
    expect(await read(text)).toMatchObject({ outcome: "failed", message: expect.stringContaining(words) });
  });
});
