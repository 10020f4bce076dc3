import { createDecipheriv, createHmac, hkdfSync } from "node:crypto";
import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { vectors } from "./fixtures/vectors.js";
import { exportItemKey, importItemKey } from "./item-key.js";
import { OpenError } from "./open-error.js";
import { titleHash } from "./title-hash.js";
import { createVaultKey, openVaultKey, type VaultKeyPlace, wrapVaultKey } from "./vault-key.js";
import { openVaultName, sealVaultName } from "./vault-name.js";
import { unwrapItemKey, wrapItemKey } from "./wrap-item-key.js";

const bytes = (encoded: string) => Uint8Array.from(Buffer.from(encoded, "base64url"));
const gcmKey = (encoded: string) =>
  crypto.subtle.importKey("raw", bytes(encoded), "AES-GCM", false, ["encrypt", "decrypt"]);
const { vaultKeys, vaultNames, vaultItemKeys } = vectors;
const wrappingKey = await gcmKey(vaultKeys.wrappingKey);
const place: VaultKeyPlace = { ...vaultKeys, wrappingKey };

/** The vault key with these bytes. There is no function that imports one: it is wrapped and opened. */
async function vaultKeyOf(encoded: string) {
  const aad = JSON.stringify(["platform.v1 vault key", 1, "ada", "vault-1", "key-1", 1]);
  const iv = new Uint8Array(12);
  const additionalData = new TextEncoder().encode(aad);
  const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData }, wrappingKey, bytes(encoded));
  return openVaultKey(Buffer.concat([iv, new Uint8Array(sealed)]).toString("base64url"), place);
}

/** Decrypts a nonce and a ciphertext with node:crypto. */
function decrypted(sealed: string, key: Uint8Array, aadJson: string): Buffer {
  const all = Buffer.from(sealed, "base64url");
  const decipher = createDecipheriv("aes-256-gcm", key, all.subarray(0, 12));
  decipher.setAAD(Buffer.from(aadJson)).setAuthTag(all.subarray(-16));
  return Buffer.concat([decipher.update(all.subarray(12, -16)), decipher.final()]);
}

const derived = (purpose: string) =>
  Buffer.from(hkdfSync("sha256", bytes(vaultKeys.vaultKey), "", `platform vault key 1: ${purpose}`, 32));

describe("the published vectors of vault keys", () => {
  it("match node:crypto: AES-256-GCM (NIST SP 800-38D) and HKDF (RFC 5869)", () => {
    expect(JSON.parse(vaultKeys.aadJson)).toEqual(["platform.v1 vault key", 1, "ada", "vault-1", "key-1", 1]);
    const opened = decrypted(vaultKeys.wrapped, bytes(vaultKeys.wrappingKey), vaultKeys.aadJson);
    expect(opened.toString("base64url")).toBe(vaultKeys.vaultKey);
    expect(derived("wrap item keys").toString("base64url")).toBe(vaultKeys.itemWrappingKey);
    expect(derived("encrypt the name").toString("base64url")).toBe(vaultKeys.nameKey);
    expect(derived("hash titles").toString("base64url")).toBe(vaultKeys.titleKey);
    const hash = createHmac("sha256", bytes(vaultKeys.titleKey)).update(vaultKeys.title).digest("base64url");
    expect(hash).toBe(vaultKeys.titleHash);
    expect(decrypted(vaultNames.sealed, bytes(vaultKeys.nameKey), vaultNames.aadJson).toString()).toBe(vaultNames.name);
    const { sealed, aadJson } = vaultNames.ofRevision;
    expect(decrypted(sealed, bytes(vaultKeys.nameKey), aadJson).toString()).toBe(vaultNames.name);
    const unwrap = createDecipheriv("id-aes256-wrap", bytes(vaultKeys.itemWrappingKey), Buffer.alloc(8, 0xa6));
    expect(unwrap.update(bytes(vaultItemKeys.wrapped.wrappedKey)).toString("base64url")).toBe(vaultItemKeys.itemKey);
  });

  it("are opened by this package", async () => {
    const vaultKey = await openVaultKey(vaultKeys.wrapped, place);
    const { sealed, ofRevision, name } = vaultNames;
    const namePlace = { ...vaultNames, vaultKey, revision: ofRevision.revision };
    expect(await openVaultName(ofRevision.sealed, namePlace)).toBe(name);
    // Earlier programs encrypted names without a revision.
    expect(await openVaultName(sealed, namePlace)).toBe(name);
    expect(await openVaultName(sealed, { ...vaultNames, vaultKey })).toBe(name);
    expect(await titleHash(vaultKey, vaultKeys.title)).toBe(vaultKeys.titleHash);
    const itemKey = await unwrapItemKey(vaultItemKeys.wrapped, { recipientId: "key-1", vaultKey });
    expect(await exportItemKey(itemKey)).toEqual(bytes(vaultItemKeys.itemKey));
  });

  it.each(vaultKeys.refused)(
    "a vault key is refused: $about",
    async ({ about: _, wrapped, wrappingKey: own, ...other }) => {
      const refused = { ...place, ...other, ...(own !== undefined && { wrappingKey: await gcmKey(own) }) };
      await expect(openVaultKey(wrapped ?? vaultKeys.wrapped, refused)).rejects.toThrow(OpenError);
    },
  );

  it.each(vaultNames.refused)("a name is refused: $about", async ({ about: _, sealed, vaultKey, ...other }) => {
    const key = await vaultKeyOf(vaultKey ?? vaultNames.vaultKey);
    const refused = { ...vaultNames, ...other, vaultKey: key };
    await expect(openVaultName(sealed ?? vaultNames.sealed, refused)).rejects.toThrow(OpenError);
  });

  it.each(vaultItemKeys.refused)("an item key is refused: $about", async ({ wrapped, vaultKey }) => {
    const holder = { recipientId: "key-1", vaultKey: await vaultKeyOf(vaultKey ?? vaultItemKeys.vaultKey) };
    await expect(unwrapItemKey(wrapped ?? vaultItemKeys.wrapped, holder)).rejects.toThrow(OpenError);
  });
});

describe("a vault key", () => {
  it("shows no byte, whatever prints it", async () => {
    const vaultKey = await createVaultKey();
    expect([String(vaultKey), JSON.stringify(vaultKey), inspect(vaultKey)]).toEqual([
      "[redacted]",
      '"[redacted]"',
      "[redacted]",
    ]);
    await expect(wrapVaultKey(structuredCloneOf(vaultKey), place)).rejects.toThrow("not a copy");
  });

  it("is another one each time, and so is what is wrapped", async () => {
    const vaultKey = await createVaultKey();
    const wrapped = await Promise.all([wrapVaultKey(vaultKey, place), wrapVaultKey(vaultKey, place)]);
    expect(new Set(wrapped).size).toBe(2);
    const itemKey = await importItemKey(bytes(vaultItemKeys.itemKey));
    const forVault = await wrapItemKey(itemKey, { recipientId: "key-1", vaultKey });
    expect(forVault).toMatchObject({ recipientId: "key-1", wrapAlg: "A256KW" });
    const other = { recipientId: "key-1", vaultKey: await createVaultKey() };
    await expect(unwrapItemKey(forVault, other)).rejects.toThrow(OpenError);
    for (const one of wrapped) {
      const holder = { recipientId: "key-1", vaultKey: await openVaultKey(one, place) };
      expect(await exportItemKey(await unwrapItemKey(forVault, holder))).toEqual(bytes(vaultItemKeys.itemKey));
    }
  });

  it.each([
    ["no wrapping key", { wrappingKey: undefined }, "Invalid wrappingKey"],
    ["an account with a space", { accountId: "a b" }, "Invalid place"],
    ["no vault", { vaultId: "" }, "Invalid place"],
    ["epoch 0", { epoch: 0 }, "Invalid place: epoch"],
  ])("is not wrapped for %s", async (_, changes, message) => {
    const invalid = Object.assign({}, place, changes);
    const error = { name: "TypeError", message: expect.stringContaining(message) };
    await expect(wrapVaultKey(await createVaultKey(), invalid)).rejects.toMatchObject(error);
    await expect(openVaultKey(vaultKeys.wrapped, invalid)).rejects.toMatchObject(error);
  });
});

describe("the name of a vault", async () => {
  const namePlace = { ...vaultNames, vaultKey: await createVaultKey() };

  it("is any one line of 1 to 100 characters, in its NFC form", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }), async (name) => {
        fc.pre(name.trim() !== "" && name.normalize("NFC").length <= 100 && !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(name));
        expect(await openVaultName(await sealVaultName(name, namePlace), namePlace)).toBe(name.normalize("NFC"));
      }),
    );
  });

  it.each(["", "  ", "a".repeat(101), "two\nlines", "\ud800"])("is not %j", async (name) => {
    await expect(sealVaultName(name, namePlace)).rejects.toThrow("Invalid name: must be one line");
  });

  it.each([
    ["tenant", { tenantId: "" }],
    ["epoch", { epoch: 1.5 }],
    ["revision", { revision: 0 }],
  ])("needs a valid %s", async (_, changes) => {
    await expect(sealVaultName("Family", { ...namePlace, ...changes })).rejects.toThrow("Invalid place");
    await expect(openVaultName("", { ...namePlace, ...changes })).rejects.toThrow("Invalid place");
  });
});

function structuredCloneOf<Value extends object>(value: Value): Value {
  return Object.create(Object.getPrototypeOf(value));
}
