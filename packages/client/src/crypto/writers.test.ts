import { afterEach, describe, expect, it, vi } from "vitest";
import { concat, encodeBase64url, utf8 } from "./bytes.js";
import { vectors } from "./fixtures/vectors.js";
import { cryptoKeyOf, generateItemKey, importItemKey } from "./item-key.js";
import { createRecipientKeys, createWriterKeys } from "./key-pairs.js";
import { OpenError } from "./open-error.js";
import { type ItemToOpen, openItem } from "./open-item.js";
import { associatedData, encodeContent } from "./payload.js";
import { encryptItem, sealItem } from "./seal-item.js";

const place = { tenantId: "t-1", vaultId: "v-1", itemId: "i-1", version: 3 };
const about = { place, kind: "login", titleHash: "dGl0bGU" };
const plaintext = utf8("correct horse battery staple");
const nonce = () => crypto.getRandomValues(new Uint8Array(12));
const [ada, bob, mallory] = [await createWriterKeys(), await createWriterKeys(), await createWriterKeys()];
const adas = { writerId: "ada", ...ada };
const bobs = { writerId: "bob", ...bob };
const itemKey = await generateItemKey();
const byAda = await encryptItem({ ...about, plaintext, itemKey, nonce: nonce(), writer: adas });

/** Encrypts any bytes as the content of the item, as anyone with the recipients' public keys can. */
async function forge(content: Uint8Array<ArrayBuffer>, key = itemKey) {
  const iv = nonce();
  const additionalData = await associatedData(2, { ...about, itemKey: key });
  const ciphertext = await crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData }, cryptoKeyOf(key), content);
  const encoded = encodeBase64url(new Uint8Array(ciphertext));
  return { ...byAda, nonce: encodeBase64url(iv), aad: encodeBase64url(additionalData), ciphertext: encoded };
}

describe("an item with a writer", () => {
  it("returns the id of the writer whose signature was required and checked", async () => {
    const opened = await openItem({ ...about, encryptedPayload: byAda, itemKey, writers: [bobs, adas] });
    expect(opened).toEqual({ plaintext, version: 3, format: 2, writerId: "ada" });
  });

  it("returns no writer id when no signature was required, because none was checked", async () => {
    const opened = await openItem({ ...about, encryptedPayload: byAda, itemKey });
    expect(opened).toEqual({ plaintext, version: 3, format: 2, writerId: undefined });
  });

  it("is opened when any of a writer's keys matches", async () => {
    const writers = [{ ...bobs, writerId: "ada" }, adas];
    expect((await openItem({ ...about, encryptedPayload: byAda, itemKey, writers })).writerId).toBe("ada");
  });

  it("contains the writer's id and signature only in the ciphertext, so that the server does not learn them", async () => {
    const { publicKey } = await createRecipientKeys();
    const writer = { ...adas, writerId: "ada-who-writes-it" };
    const sealed = await sealItem({
      ...about,
      plaintext,
      recipients: [{ recipientId: "ada", publicKey }],
      writer,
    });
    const bytes = Buffer.from(sealed.encryptedPayload.ciphertext, "base64url");
    expect(bytes.byteLength).toBe(2 + writer.writerId.length + 64 + plaintext.byteLength + 16);
    expect(bytes.includes(writer.writerId)).toBe(false);
  });
});

describe("openItem rejects an item without the signature of a trusted writer with one error, without detail:", async () => {
  const data = await associatedData(2, { ...about, itemKey });
  const signed = await encodeContent(plaintext, data, adas);
  const otherKey = await generateItemKey();
  const elsewhere = await associatedData(2, { ...about, place: { ...place, itemId: "i-2" }, itemKey });
  const flipped = (at: number) => signed.map((byte, index) => (index === at ? byte ^ 1 : byte));
  const [format1] = vectors.items;
  if (format1 === undefined) throw new Error("there is no vector of format 1");
  const inFormat1 = {
    ...format1,
    itemKey: await importItemKey(Uint8Array.from(Buffer.from(format1.itemKey, "base64url"))),
  };

  const payloads: [string, Partial<ItemToOpen>][] = [
    ["an empty list of writers", { writers: [] }],
    ["another writer", { writers: [bobs] }],
    ["another key under the writer's id", { writers: [{ ...bobs, writerId: "ada" }] }],
    ["the writer's key under another id", { writers: [{ ...adas, writerId: "bob" }] }],
    ["format 1, which has no signature", inFormat1],
    ["sealed without a writer", { encryptedPayload: await forge(concat([Uint8Array.of(0), plaintext])) }],
    [
      "signed by someone else under the writer's id",
      {
        encryptedPayload: await encryptItem({
          ...about,
          plaintext,
          itemKey,
          nonce: nonce(),
          writer: { ...mallory, writerId: "ada" },
        }),
      },
    ],
    ["another content under the signature", { encryptedPayload: await forge(flipped(signed.length - 1)) }],
    ["an altered signature", { encryptedPayload: await forge(flipped(10)) }],
    [
      "the signature of another item",
      { encryptedPayload: await forge(await encodeContent(plaintext, elsewhere, adas)) },
    ],
    [
      "a signature reused under another item key",
      { itemKey: otherKey, encryptedPayload: await forge(signed, otherKey) },
    ],
    ["a truncated signature", { encryptedPayload: await forge(signed.slice(0, 40)) }],
    ["no content", { encryptedPayload: await forge(new Uint8Array()) }],
    ["an unknown first byte", { encryptedPayload: await forge(concat([Uint8Array.of(2), plaintext])) }],
  ];

  it.each(payloads)("%s", async (_, changes) => {
    const item = { ...about, encryptedPayload: byAda, itemKey, writers: [adas], ...changes };
    await expect(openItem(item)).rejects.toThrow(OpenError);
  });

  it("without writers, all of these payloads but the three malformed ones open", async () => {
    const opened = await Promise.allSettled(
      payloads.map(([, changes]) =>
        openItem({ ...about, encryptedPayload: byAda, itemKey, ...changes, writers: undefined }),
      ),
    );
    expect(opened.filter(({ status }) => status === "rejected")).toHaveLength(3);
  });
});

describe("the keys of writers", () => {
  afterEach(() => void vi.restoreAllMocks());

  it.each([
    ["a private key", { writerId: "ada", publicKey: ada.privateKey }],
    ["no id", { writerId: "", publicKey: ada.publicKey }],
  ])("are rejected with %s", async (_, writer) => {
    const opening = openItem({ ...about, encryptedPayload: byAda, itemKey, writers: [writer] });
    await expect(opening).rejects.toThrow(TypeError);
  });

  it("are rejected when they are for another algorithm", async () => {
    const { publicKey } = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, false, [
      "sign",
      "verify",
    ]);
    const opening = openItem({ ...about, encryptedPayload: byAda, itemKey, writers: [{ writerId: "ada", publicKey }] });
    await expect(opening).rejects.toThrow(TypeError);
  });

  it("can be exported only when extractable, and survive structured clone", async () => {
    await expect(crypto.subtle.exportKey("jwk", ada.privateKey)).rejects.toThrow();
    const kept = structuredClone(ada);
    const payload = await encryptItem({ ...about, plaintext, itemKey, nonce: nonce(), writer: { ...adas, ...kept } });
    expect((await openItem({ ...about, encryptedPayload: payload, itemKey, writers: [adas] })).writerId).toBe("ada");
    const open = await createWriterKeys({ extractable: true });
    expect(await crypto.subtle.exportKey("jwk", open.privateKey)).toHaveProperty("d");
  });

  it("require a runtime with Ed25519: the error lists those that have it", async () => {
    const missing = new DOMException("Algorithm: Unrecognized name", "NotSupportedError");
    vi.spyOn(crypto.subtle, "generateKey").mockRejectedValueOnce(missing);
    await expect(createWriterKeys()).rejects.toMatchObject({
      name: "NotSupportedError",
      message: expect.stringMatching(/lacks Ed25519.*Node 20/),
    });
  });
});
