import { describe, expect, it } from "vitest";
import { encodeBase64url, utf8 } from "./bytes.js";
import type { EncryptedPayload, ItemPlace } from "./item-fields.js";
import { exportItemKey, generateItemKey } from "./item-key.js";
import { createRecipientKeys, createWriterKeys } from "./key-pairs.js";
import { OpenError } from "./open-error.js";
import { openItem } from "./open-item.js";
import { associatedData, keyCommitment } from "./payload.js";
import { sealItem } from "./seal-item.js";
import { unwrapItemKey } from "./wrap-item-key.js";

const place: ItemPlace = { tenantId: "t-1", vaultId: "v-1", itemId: "i-1", version: 3 };
const ada = await createRecipientKeys();
const writer = await createWriterKeys();
const bob = await createRecipientKeys({ wrapAlg: "RSA-OAEP-256", extractable: true });
const recipients = [
  { recipientId: "ada", publicKey: ada.publicKey },
  { recipientId: "bob", publicKey: bob.publicKey },
];
const plaintext = utf8("correct horse battery staple");
const about = { kind: "login", titleHash: "dGl0bGU" };
const seal = (changes: Partial<Parameters<typeof sealItem>[0]> = {}) =>
  sealItem({ place, ...about, plaintext, recipients, ...changes });

/** Unwraps the item key as one of the recipients. */
async function keyFor(name: "ada" | "bob", sealed: Awaited<ReturnType<typeof sealItem>>) {
  const mine = sealed.wrappedKeys.find(({ recipientId }) => recipientId === name);
  if (mine === undefined) throw new Error(`nothing is wrapped for ${name}`);
  return unwrapItemKey(mine, { recipientId: name, privateKey: (name === "ada" ? ada : bob).privateKey });
}

describe("a sealed item", () => {
  it.each(["ada", "bob"] as const)("can be opened by %s", async (name) => {
    const sealed = await seal();
    const itemKey = await keyFor(name, sealed);
    const opened = { plaintext, version: 3, format: 2, writerId: undefined };
    expect(await openItem({ place, ...sealed, itemKey })).toEqual(opened);
  });

  it("has a fresh key and a fresh nonce each time", async () => {
    const sealed = await Promise.all(Array.from({ length: 20 }, () => seal()));
    const keys = await Promise.all(sealed.map(async (one) => String(await exportItemKey(await keyFor("ada", one)))));
    expect(new Set(keys).size).toBe(20);
    expect(new Set(sealed.map(({ encryptedPayload }) => encryptedPayload.nonce)).size).toBe(20);
    expect(new Set(sealed.map(({ wrappedKeys }) => wrappedKeys[0]?.wrappedKey.slice(0, 87))).size).toBe(20);
  });

  it("can be empty or as long as the platform accepts, with the longest identifiers", async () => {
    const id = "x".repeat(128);
    const longestPlace = { tenantId: id, vaultId: id, itemId: id, version: 2 ** 32 - 1 };
    const longest = { place: longestPlace, kind: "k".repeat(64), titleHash: "t".repeat(256) };
    const { privateKey } = await createWriterKeys();
    const writer = { writerId: id, privateKey };
    for (const length of [0, 36_654]) {
      const { encryptedPayload } = await seal({ ...longest, writer, plaintext: new Uint8Array(length) });
      expect(encryptedPayload.ciphertext.length).toBeLessThanOrEqual(49_152);
      expect(encryptedPayload.aad.length).toBeLessThanOrEqual(2_048);
    }
    for (const signer of [writer, undefined])
      await expect(seal({ writer: signer, plaintext: new Uint8Array(36_655) })).rejects.toThrow(RangeError);
  });

  it.each<[string, Partial<Parameters<typeof sealItem>[0]>]>([
    ["an empty list of recipients", { recipients: [] }],
    ["a repeated recipient", { recipients: [...recipients, ...recipients.slice(0, 1)] }],
    ["a private key", { recipients: [{ recipientId: "ada", publicKey: ada.privateKey }] }],
    ["version 0", { place: { ...place, version: 0 } }],
    ["a fractional version", { place: { ...place, version: 1.5 } }],
    ["an invalid vault id", { place: { ...place, vaultId: 'v","x' } }],
    ["a kind that JSON would escape", { kind: 'a"b' }],
    ["a title instead of its hash", { titleHash: "My bank" }],
    ["a writer without an id", { writer: { writerId: "", privateKey: writer.privateKey } }],
    ["a writer with a public key", { writer: { writerId: "ada", privateKey: writer.publicKey } }],
    ["a writer with a recipient's key", { writer: { writerId: "ada", privateKey: ada.privateKey } }],
  ])("is rejected for %s", async (_, changes) => {
    await expect(seal(changes)).rejects.toThrow(TypeError);
  });
});

describe("the associated data of an item", () => {
  it("differs for another tenant, vault, item, version, kind or title, even when the joined text is the same", async () => {
    const names = ["a", "b", "ab", "a.b", "a-1", "1"];
    const places = names.flatMap((tenantId) =>
      names.flatMap((vaultId) =>
        names.flatMap((itemId) => [1, 11].map((version) => ({ tenantId, vaultId, itemId, version }))),
      ),
    );
    const itemKey = await generateItemKey();
    const bindings = places.flatMap((place) =>
      ["a", "ab", "a1"].flatMap((kind) => ["", "a", "1"].map((titleHash) => ({ place, kind, titleHash, itemKey }))),
    );
    for (const format of [1, 2] as const) {
      const texts = await Promise.all(bindings.map(async (one) => String(await associatedData(format, one))));
      expect(new Set(texts).size).toBe(format === 1 ? places.length : bindings.length);
    }
  });
});

const sealed = await seal();
const itemKey = await keyFor("ada", sealed);
const { encryptedPayload } = sealed;
const failure = async (
  changes: Partial<EncryptedPayload>,
  at: Partial<ItemPlace> = {},
  key = itemKey,
  as: Partial<typeof about> = {},
) => {
  const opening = openItem({
    place: { ...place, ...at },
    ...about,
    ...as,
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
const commitment = await keyCommitment(itemKey);
const inPlace = [2, "t-1", "v-1", "i-1", 3, "login", "dGl0bGU", commitment];

describe("openItem rejects with one error, without detail,", async () => {
  const failures: [string, unknown][] = [
    ["an altered ciphertext", await failure({ ciphertext: flipped(encryptedPayload.ciphertext) })],
    ["another nonce", await failure({ nonce: flipped(encryptedPayload.nonce) })],
    ["a nonce of 8 bytes", await failure({ nonce: "AAAAAAAAAAA" })],
    ["another alg", await failure({ alg: "XC20P" })],
    ["another format", await failure({ version: 3 })],
    ["the older format with its aad", await failure({ version: 1, ...bound([1, ...inPlace.slice(1, 5)]) })],
    ["a shredded payload", await failure({ nonce: "", aad: "", ciphertext: "" })],
    ["an aad that is not JSON", await failure({ aad: "AAAA" })],
    ["an aad of null", await failure(bound(null))],
    ["an aad of another item, as requested", await failure(bound(inPlace.with(3, "i-2")), { itemId: "i-2" })],
    ["an aad without a commitment", await failure(bound(inPlace.slice(0, -1)))],
    ["an aad of another commitment", await failure(bound(inPlace.with(7, flipped(commitment))))],
    [
      "an aad of another kind, as requested",
      await failure(bound(inPlace.with(5, "card")), {}, itemKey, { kind: "card" }),
    ],
    ["another kind", await failure({}, {}, itemKey, { kind: "card" })],
    ["another title", await failure({}, {}, itemKey, { titleHash: "b3RoZXI" })],
    ["padding", await failure({ ciphertext: `${encryptedPayload.ciphertext}=` })],
    ["another tenant", await failure({}, { tenantId: "t-2" })],
    ["another vault", await failure({}, { vaultId: "v-2" })],
    ["another item", await failure({}, { itemId: "i-2" })],
    ["a version older than the sealed one", await failure({}, { version: 2 })],
    ["another key", await failure({}, {}, await generateItemKey())],
  ];

  it.each(failures)("for %s", (_, error) => {
    expect(error).toBeInstanceOf(OpenError);
    expect(error).toMatchObject({ name: "OpenError", message: new OpenError().message });
    expect(Reflect.ownKeys(Object(error)).sort()).toEqual(["message", "name", "stack"]);
  });
});

it("an item can be opened after deleting and restoring have raised its version", async () => {
  const opened = await openItem({ place: { ...place, version: 5 }, ...sealed, itemKey });
  expect(opened).toMatchObject({ plaintext, version: 3 });
});

describe("no key bytes reach the wire", () => {
  /** Every common encoding of bytes; base64 also at other offsets. */
  function encodings(secret: Uint8Array): string[] {
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

  it("the body that stores an item contains neither its key, nor a recipient's private key, nor the plaintext", async () => {
    const one = await seal();
    const body = JSON.stringify({ tenantId: "t-1", vaultId: "v-1", itemId: "i-1", baseVersion: 2, ...one });
    const { d = "" } = await crypto.subtle.exportKey("jwk", bob.privateKey);
    const secrets = [await exportItemKey(await keyFor("ada", one)), Buffer.from(d, "base64url"), plaintext];
    for (const secret of secrets) for (const encoding of encodings(secret)) expect(body.includes(encoding)).toBe(false);
    // The search itself works: it finds the ciphertext.
    const known = Buffer.from(one.encryptedPayload.ciphertext, "base64url");
    expect(encodings(known).some((encoding) => body.includes(encoding))).toBe(true);
  });
});
