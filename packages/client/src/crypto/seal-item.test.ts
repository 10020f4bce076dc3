import { describe, expect, it } from "vitest";
import { encodeBase64url } from "./base64url.js";
import type { EncryptedPayload } from "./encrypted-payload.js";
import { exportItemKey, generateItemKey } from "./item-key.js";
import { encodePlace, type ItemPlace } from "./item-place.js";
import { OpenFailure } from "./open-failure.js";
import { openItem } from "./open-item.js";
import { createRecipientKeys } from "./recipient-keys.js";
import { sealItem } from "./seal-item.js";
import { utf8 } from "./utf8.js";
import { unwrapItemKey } from "./wrap-item-key.js";

const place: ItemPlace = { tenantId: "t-1", vaultId: "v-1", itemId: "i-1", version: 3 };
const ada = await createRecipientKeys();
const bob = await createRecipientKeys({ wrapAlg: "RSA-OAEP-256", extractable: true });
const recipients = [
  { recipientId: "ada", publicKey: ada.publicKey },
  { recipientId: "bob", publicKey: bob.publicKey },
];
const plaintext = utf8("correct horse battery staple");
const seal = (changes: Partial<Parameters<typeof sealItem>[0]> = {}) =>
  sealItem({ place, plaintext, recipients, ...changes });

/** Opens as one of the recipients does. */
async function keyFor(name: "ada" | "bob", sealed: Awaited<ReturnType<typeof sealItem>>) {
  const mine = sealed.wrappedKeys.find(({ recipientId }) => recipientId === name);
  if (mine === undefined) throw new Error(`nothing is wrapped for ${name}`);
  return unwrapItemKey(mine, { recipientId: name, privateKey: (name === "ada" ? ada : bob).privateKey });
}

describe("an item that is sealed", () => {
  it.each(["ada", "bob"] as const)("can be opened by %s", async (name) => {
    const sealed = await seal();
    const itemKey = await keyFor(name, sealed);
    expect(await openItem({ place, encryptedPayload: sealed.encryptedPayload, itemKey })).toEqual({
      plaintext,
      version: 3,
    });
  });

  it("has the JSON shapes of the contract, all bytes as base64url without padding", async () => {
    const text = expect.stringMatching(/^[A-Za-z0-9_-]+$/);
    const { encryptedPayload, wrappedKeys } = await seal();
    expect(encryptedPayload).toEqual({
      alg: "A256GCM",
      nonce: expect.stringMatching(/^[A-Za-z0-9_-]{16}$/),
      aad: encodeBase64url(utf8('[1,"t-1","v-1","i-1",3]')),
      ciphertext: text,
      version: 1,
    });
    expect(wrappedKeys).toEqual([
      { recipientId: "ada", wrapAlg: "ECDH-ES+A256KW", wrappedKey: text },
      { recipientId: "bob", wrapAlg: "RSA-OAEP-256", wrappedKey: text },
    ]);
  });

  it("has a fresh key and a fresh nonce each time", async () => {
    const sealed = await Promise.all(Array.from({ length: 20 }, () => seal()));
    const keys = await Promise.all(sealed.map(async (one) => String(await exportItemKey(await keyFor("ada", one)))));
    expect(new Set(keys).size).toBe(20);
    expect(new Set(sealed.map(({ encryptedPayload }) => encryptedPayload.nonce)).size).toBe(20);
    expect(new Set(sealed.map(({ wrappedKeys }) => wrappedKeys[0]?.wrappedKey.slice(0, 87))).size).toBe(20);
  });

  it("can be empty, and as long as the platform takes", async () => {
    for (const length of [0, 36_848]) {
      const { encryptedPayload } = await seal({ plaintext: new Uint8Array(length) });
      expect(encryptedPayload.ciphertext.length).toBeLessThanOrEqual(49_152);
    }
    await expect(seal({ plaintext: new Uint8Array(36_849) })).rejects.toThrow(RangeError);
  });

  it.each<[string, Partial<Parameters<typeof sealItem>[0]>]>([
    ["nobody", { recipients: [] }],
    ["somebody twice", { recipients: [...recipients, ...recipients.slice(0, 1)] }],
    ["a recipient without a name", { recipients: [{ recipientId: "", publicKey: ada.publicKey }] }],
    ["a private key", { recipients: [{ recipientId: "ada", publicKey: ada.privateKey }] }],
    ["version 0", { place: { ...place, version: 0 } }],
    ["half a version", { place: { ...place, version: 1.5 } }],
    ["a vault that is no identifier", { place: { ...place, vaultId: 'v","x' } }],
    ["no tenant", { place: { ...place, tenantId: "" } }],
  ])("is not sealed for %s", async (_, changes) => {
    await expect(seal(changes)).rejects.toThrow(TypeError);
  });
});

describe("the place of an item", () => {
  it("is another for another tenant, vault, item or version, wherever the parts are cut", () => {
    const names = ["a", "b", "ab", "a.b", "a-1", "1"];
    const places = names.flatMap((tenantId) =>
      names.flatMap((vaultId) =>
        names.flatMap((itemId) => [1, 11].map((version) => ({ tenantId, vaultId, itemId, version }))),
      ),
    );
    expect(new Set(places.map((one) => encodeBase64url(encodePlace(one)))).size).toBe(places.length);
  });
});

const sealed = await seal();
const itemKey = await keyFor("ada", sealed);
const { encryptedPayload } = sealed;
const failure = async (changes: Partial<EncryptedPayload>, at: Partial<ItemPlace> = {}, key = itemKey) => {
  const opening = openItem({
    place: { ...place, ...at },
    encryptedPayload: { ...encryptedPayload, ...changes },
    itemKey: key,
  });
  return opening.then(
    () => undefined,
    (error: unknown) => error,
  );
};
const flipped = (text: string) => `${text.startsWith("A") ? "B" : "A"}${text.slice(1)}`;
const bound = (parts: unknown) => ({ aad: encodeBase64url(utf8(JSON.stringify(parts))) });

describe("what cannot be opened gives one error, without detail", async () => {
  const refusals: [string, unknown][] = [
    ["an altered ciphertext", await failure({ ciphertext: flipped(encryptedPayload.ciphertext) })],
    ["a ciphertext cut short", await failure({ ciphertext: encryptedPayload.ciphertext.slice(0, 8) })],
    ["another nonce", await failure({ nonce: flipped(encryptedPayload.nonce) })],
    ["a nonce of 8 bytes", await failure({ nonce: "AAAAAAAAAAA" })],
    ["another alg", await failure({ alg: "XC20P" })],
    ["another format", await failure({ version: 2 })],
    ["a shredded payload", await failure({ nonce: "", aad: "", ciphertext: "" })],
    ["an aad that is no JSON", await failure({ aad: "AAAA" })],
    ["an aad of null", await failure(bound(null))],
    ["an aad of a later version", await failure(bound([1, "t-1", "v-1", "i-1", 4]), { version: 4 })],
    ["an aad of another item", await failure(bound([1, "t-1", "v-1", "i-2", 3]))],
    ["an aad of another item, asked for", await failure(bound([1, "t-1", "v-1", "i-2", 3]), { itemId: "i-2" })],
    ["padding", await failure({ ciphertext: `${encryptedPayload.ciphertext}=` })],
    ["another tenant", await failure({}, { tenantId: "t-2" })],
    ["another vault", await failure({}, { vaultId: "v-2" })],
    ["another item", await failure({}, { itemId: "i-2" })],
    ["a version before it was sealed", await failure({}, { version: 2 })],
    ["no place at all", await failure({}, { itemId: "" })],
    ["another key", await failure({}, {}, await generateItemKey())],
  ];

  it.each(refusals)("%s", (_, error) => {
    expect(error).toBeInstanceOf(OpenFailure);
    expect(error).toMatchObject({ name: "OpenFailure", message: "It cannot be opened" });
    expect(Reflect.ownKeys(Object(error)).sort()).toEqual(["message", "name", "stack"]);
  });
});

it("deleting and restoring raise an item's version: what was sealed before can still be opened", async () => {
  expect(await openItem({ place: { ...place, version: 5 }, encryptedPayload, itemKey })).toEqual({
    plaintext,
    version: 3,
  });
});

describe("no key bytes reach the wire", () => {
  /** Every way in which bytes are commonly spelled; base64 also where it does not begin with them. */
  function spellings(secret: Uint8Array): string[] {
    const bytes = Buffer.from(secret);
    const shifted = [0, 1, 2].map((offset) => {
      const padded = Buffer.concat([Buffer.alloc(offset), bytes, Buffer.alloc(3)]);
      const start = Math.ceil((offset * 8) / 6);
      return padded.toString("base64").slice(start, start + Math.floor((bytes.length * 8) / 6) - 1);
    });
    const base64 = [bytes.toString("base64").replace(/=+$/, ""), ...shifted];
    const base64url = base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_"));
    const hex = bytes.toString("hex");
    return [...base64, ...base64url, hex, hex.toUpperCase(), [...bytes].join(","), bytes.toString("latin1")];
  }

  it("the body that stores an item holds neither its key nor the recipients' nor the plaintext", async () => {
    const one = await seal();
    const body = JSON.stringify({ tenantId: "t-1", vaultId: "v-1", itemId: "i-1", baseVersion: 2, ...one });
    const { d = "" } = await crypto.subtle.exportKey("jwk", bob.privateKey);
    const secrets = [await exportItemKey(await keyFor("ada", one)), Buffer.from(d, "base64url"), plaintext];
    for (const secret of secrets) for (const spelling of spellings(secret)) expect(body.includes(spelling)).toBe(false);
    // What is looked for would be found: the ciphertext is there.
    const known = Buffer.from(one.encryptedPayload.ciphertext, "base64url");
    expect(spellings(known).some((spelling) => body.includes(spelling))).toBe(true);
  });

  it("nor does a private key leave the runtime unless it was made to", async () => {
    await expect(crypto.subtle.exportKey("jwk", ada.privateKey)).rejects.toThrow();
  });
});
