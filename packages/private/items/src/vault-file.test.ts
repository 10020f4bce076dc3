import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isVaultFile, readVaultFile, VaultFileError, vaultFileLimits, writeVaultFile } from "./vault-file.js";

const passphrase = "correct horse battery staple";
const items = [{ kind: "login", content: '{"version":1,"title":"Mail","fields":[]}', vault: "Home" }];

describe("the encrypted file", () => {
  it("contains every item exactly as it was, for who knows the passphrase", async () => {
    const text = fc.string({ unit: "grapheme" });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ kind: text, content: text, vault: text })),
        text,
        async (written, secret) => {
          expect(await readVaultFile(await writeVaultFile(written, secret), secret)).toEqual(written);
        },
      ),
      { numRuns: 10 },
    );
  });

  it("may contain what items contained before, which a reader ignores", async () => {
    const [item = { kind: "", content: "", vault: "" }] = items;
    const earlier = [{ content: "before", replacedAt: "2026-11-22T13:50:00.000Z" }];
    expect(await readVaultFile(await writeVaultFile([{ ...item, earlier }], passphrase), passphrase)).toEqual([item]);
  });

  it("contains large files", async () => {
    const large = [{ kind: "file", content: "x".repeat(100_000), vault: "" }];
    expect(await readVaultFile(await writeVaultFile(large, passphrase), passphrase)).toEqual(large);
  });

  it("has another salt and nonce each time, and nothing of the items in the open", async () => {
    const [one, other] = [await writeVaultFile(items, passphrase), await writeVaultFile(items, passphrase)];
    const [first, second] = [JSON.parse(one), JSON.parse(other)];
    expect(first.kdf.salt).not.toBe(second.kdf.salt);
    expect(first.nonce).not.toBe(second.nonce);
    expect(one).not.toContain("Mail");
    expect(Object.keys(first)).toEqual(["format", "version", "kdf", "nonce", "ciphertext"]);
  });

  it("is recognised, also in a newer version, and nothing else is", async () => {
    expect(isVaultFile(await writeVaultFile([], passphrase))).toBe(true);
    expect(isVaultFile('{"format":"platform-vault","version":9}')).toBe(true);
    for (const text of ["", "null", "[]", "{", '{"encrypted":false,"items":[]}']) {
      expect(isVaultFile(text)).toBe(false);
    }
  });

  it("is not opened with another passphrase", async () => {
    const reading = readVaultFile(await writeVaultFile(items, passphrase), `${passphrase} `);
    await expect(reading).rejects.toThrow("The passphrase is wrong, or the file was altered.");
  });
});

interface EncryptedFile {
  readonly kdf: object;
}

describe("a hostile file", () => {
  const changed = async (change: (file: EncryptedFile) => object) =>
    JSON.stringify(change(JSON.parse(await writeVaultFile(items, passphrase))));

  it.each([
    ["another salt", (file) => ({ ...file, kdf: { ...file.kdf, salt: "AAAAAAAAAAAAAAAAAAAAAA" } }), /wrong/],
    ["more iterations", (file) => ({ ...file, kdf: { ...file.kdf, iterations: 600_001 } }), /wrong/],
    ["too few iterations", (file) => ({ ...file, kdf: { ...file.kdf, iterations: 1 } }), /asks for 1 iter/],
    ["too many iterations", (file) => ({ ...file, kdf: { ...file.kdf, iterations: 2 ** 31 } }), /asks for/],
    ["half an iteration", (file) => ({ ...file, kdf: { ...file.kdf, iterations: 600_000.5 } }), /damaged/],
    ["another derivation", (file) => ({ ...file, kdf: { ...file.kdf, name: "none" } }), /damaged/],
    ["an older version", (file) => ({ ...file, version: 0 }), /damaged/],
    ["a newer version", (file) => ({ ...file, version: 2 }), /newer version/],
    ["another format", (file) => ({ ...file, format: "zip" }), /not an encrypted vault file/],
    ["no ciphertext", (file) => ({ ...file, ciphertext: "" }), /damaged/],
    [
      "a salt that is not canonical",
      (file) => ({ ...file, kdf: { ...file.kdf, salt: "AAAAAAAAAAAAAAAAAAAAAB" } }),
      /damaged/,
    ],
    ["a ciphertext that is not base64url", (file) => ({ ...file, ciphertext: "*".repeat(64) }), /damaged/],
  ] as const satisfies readonly (readonly [string, (file: EncryptedFile) => object, RegExp])[])(
    "with %s is rejected, and the message says why",
    async (_, change, message) => {
      const reading = readVaultFile(await changed(change), passphrase);
      await expect(reading).rejects.toThrow(VaultFileError);
      await expect(reading).rejects.toThrow(message);
    },
  );

  it("of which any character was changed is rejected, or read as it was", async () => {
    const text = await writeVaultFile(items, passphrase);
    await fc.assert(
      fc.asyncProperty(fc.nat(text.length - 1), fc.constantFrom("A", "0", '"', "}", "é"), async (at, character) => {
        const altered = text.slice(0, at) + character + text.slice(at + 1);
        const read = await readVaultFile(altered, passphrase).catch((error: unknown) => error);
        if (!(read instanceof VaultFileError)) expect(read).toEqual(items);
      }),
      { numRuns: 30 },
    );
  });

  it("that is too large is rejected before it is parsed", async () => {
    const huge = " ".repeat(vaultFileLimits.text + 1);
    await expect(readVaultFile(huge, passphrase)).rejects.toThrow("too large");
    expect(isVaultFile(huge)).toBe(false);
  });
});

it("the example in docs/export.md is read", async () => {
  const page = readFileSync(new URL("../../../../docs/export.md", import.meta.url), "utf8");
  const [, file = "", read = ""] = /```json\n(\{"format".*?)```.*?```json\n(\[.*?)```/s.exec(page) ?? [];
  expect(await readVaultFile(file, passphrase)).toEqual(JSON.parse(read));
});
