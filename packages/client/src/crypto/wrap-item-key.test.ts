import { describe, expect, it } from "vitest";
import { decodeBase64url, encodeBase64url } from "./bytes.js";
import { exportItemKey, generateItemKey } from "./item-key.js";
import { generateEphemeral } from "./key-agreement.js";
import { createRecipientKeys } from "./key-pairs.js";
import { OpenError } from "./open-error.js";
import { unwrapItemKey, wrapItemKey } from "./wrap-item-key.js";

const algorithms = ["ECDH-ES+A256KW", "RSA-OAEP-256"] as const;
const keys = {
  "ECDH-ES+A256KW": [await createRecipientKeys(), await createRecipientKeys()] as const,
  "RSA-OAEP-256": [
    await createRecipientKeys({ wrapAlg: "RSA-OAEP-256" }),
    await createRecipientKeys({ wrapAlg: "RSA-OAEP-256" }),
  ] as const,
};
const itemKey = await generateItemKey();
const recipientId = "ada";

describe.each(algorithms)("an item key wrapped by %s", (wrapAlg) => {
  const [{ publicKey, privateKey }, stranger] = keys[wrapAlg];
  const holder = { recipientId, privateKey };
  const flip = (text: string, place: number) =>
    `${text.slice(0, place)}${text[place] === "A" ? "B" : "A"}${text.slice(place + 1)}`;

  it("is unwrapped by its recipient, who can wrap it for another", async () => {
    const wrapped = await wrapItemKey(itemKey, { recipientId, publicKey });
    expect(wrapped).toMatchObject({ recipientId, wrapAlg });
    const again = await unwrapItemKey(wrapped, holder);
    expect(await exportItemKey(again)).toEqual(await exportItemKey(itemKey));
    const forBob = await wrapItemKey(again, { recipientId: "bob", publicKey: stranger.publicKey });
    const bobs = await unwrapItemKey(forBob, { recipientId: "bob", privateKey: stranger.privateKey });
    expect(await exportItemKey(bobs)).toEqual(await exportItemKey(itemKey));
  });

  it("rejects another recipient and any alteration with the same error", async () => {
    const wrapped = await wrapItemKey(itemKey, { recipientId, publicKey });
    const { wrappedKey } = wrapped;
    const bob = { recipientId: "bob", privateKey };
    const attempts = [
      () => unwrapItemKey(wrapped, { recipientId, privateKey: stranger.privateKey }),
      () => unwrapItemKey(wrapped, bob),
      () => unwrapItemKey({ ...wrapped, recipientId: "bob" }, holder),
      ...algorithms
        .filter((other) => other !== wrapAlg)
        .map((other) => () => unwrapItemKey({ ...wrapped, wrapAlg: other }, holder)),
      () => unwrapItemKey({ ...wrapped, wrapAlg: "A256KW" }, holder),
      () => unwrapItemKey({ ...wrapped, wrappedKey: "" }, holder),
      () => unwrapItemKey({ ...wrapped, wrappedKey: `${wrappedKey}=` }, holder),
      () => unwrapItemKey({ ...wrapped, wrappedKey: wrappedKey.slice(0, -4) }, holder),
      ...[2, 40, 90, 110].map(
        (place) => () => unwrapItemKey({ ...wrapped, wrappedKey: flip(wrappedKey, place) }, holder),
      ),
    ];
    for (const attempt of attempts)
      await expect(attempt()).rejects.toSatisfy(
        (error) => error instanceof OpenError && error.message === new OpenError().message && error.cause === undefined,
      );
  });
});

it("the private half of an ephemeral key pair cannot be exported", async () => {
  const { privateKey } = await generateEphemeral();
  expect(privateKey.extractable).toBe(false);
});

it("ECDH-ES+A256KW binds the recipient's id: a renamed entry cannot be unwrapped (RFC 7518 section 4.6.1.3)", async () => {
  const [{ publicKey, privateKey }] = keys["ECDH-ES+A256KW"];
  const wrapped = await wrapItemKey(itemKey, { recipientId, publicKey });
  const renamed = { ...wrapped, recipientId: "bob" };
  await expect(unwrapItemKey(renamed, { recipientId: "bob", privateKey })).rejects.toThrow(OpenError);
});

it.each([
  { form: "hybrid, even y", first: 6 },
  { form: "hybrid, odd y", first: 7 },
  { form: "compressed", first: 2 },
])("SEC 1 section 2.3.3: rejects an ephemeral point whose form is $form", async ({ first }) => {
  const [{ publicKey, privateKey }] = keys["ECDH-ES+A256KW"];
  const recipient = { recipientId, publicKey };
  // Ten rounds, because the parity of y is random and must match the form.
  for (let round = 0; round < 10; round += 1) {
    const wrapped = await wrapItemKey(itemKey, recipient);
    const bytes = decodeBase64url(wrapped.wrappedKey) ?? new Uint8Array();
    expect(bytes[0]).toBe(4);
    bytes[0] = first;
    const respelled = { ...wrapped, wrappedKey: encodeBase64url(bytes) };
    await expect(unwrapItemKey(respelled, { recipientId, privateKey })).rejects.toThrow(OpenError);
  }
});

it("a recipient's key imported from a hybrid point still yields an uncompressed ephemeral point", async () => {
  const { publicKey, privateKey } = await createRecipientKeys();
  const point = new Uint8Array(await crypto.subtle.exportKey("raw", publicKey));
  point[0] = 6 + ((point[64] ?? 0) & 1);
  const hybrid = await crypto.subtle.importKey("raw", point, { name: "ECDH", namedCurve: "P-256" }, true, []);
  const wrapped = await wrapItemKey(itemKey, { recipientId, publicKey: hybrid });
  expect(decodeBase64url(wrapped.wrappedKey)?.[0]).toBe(4);
  const unwrapped = await unwrapItemKey(wrapped, { recipientId, privateKey });
  expect(await exportItemKey(unwrapped)).toEqual(await exportItemKey(itemKey));
});

it("rejects a wrapped key of 128 bits, so that the sender cannot weaken the item", async () => {
  const [{ publicKey, privateKey }] = keys["RSA-OAEP-256"];
  const short = await crypto.subtle.encrypt("RSA-OAEP", await encryptionHalf(publicKey), new Uint8Array(16));
  const wrapped = { recipientId, wrapAlg: "RSA-OAEP-256", wrappedKey: encodeBase64url(new Uint8Array(short)) };
  await expect(unwrapItemKey(wrapped, { recipientId, privateKey })).rejects.toThrow(OpenError);
});

async function encryptionHalf(publicKey: CryptoKey): Promise<CryptoKey> {
  const spki = await crypto.subtle.exportKey("spki", publicKey);
  return crypto.subtle.importKey("spki", spki, { name: "RSA-OAEP", hash: "SHA-256" }, false, ["encrypt"]);
}

describe("the keys of recipients", () => {
  const modulus = { publicExponent: new Uint8Array([1, 0, 1]) };
  it.each<[string, EcKeyGenParams | RsaHashedKeyGenParams, KeyUsage[]]>([
    ["P-384", { name: "ECDH", namedCurve: "P-384" }, ["deriveBits"]],
    ["ECDSA", { name: "ECDSA", namedCurve: "P-256" }, ["sign", "verify"]],
    [
      "RSA of 1024 bits",
      { name: "RSA-OAEP", hash: "SHA-256", modulusLength: 1024, ...modulus },
      ["wrapKey", "unwrapKey"],
    ],
    ["RSA with SHA-1", { name: "RSA-OAEP", hash: "SHA-1", modulusLength: 2048, ...modulus }, ["wrapKey", "unwrapKey"]],
  ])("rejects %s", async (_, algorithm, usages) => {
    const { publicKey, privateKey } = await crypto.subtle.generateKey(algorithm, false, usages);
    await expect(wrapItemKey(itemKey, { recipientId, publicKey })).rejects.toThrow(TypeError);
    const wrapped = { recipientId, wrapAlg: "RSA-OAEP-256", wrappedKey: "AAAA" };
    await expect(unwrapItemKey(wrapped, { recipientId, privateKey })).rejects.toThrow(TypeError);
  });

  it("can be exported only when extractable, and survive structured clone", async () => {
    const [{ publicKey, privateKey }] = keys["ECDH-ES+A256KW"];
    await expect(crypto.subtle.exportKey("jwk", privateKey)).rejects.toThrow();
    const wrapped = await wrapItemKey(itemKey, { recipientId, publicKey });
    const kept = await unwrapItemKey(wrapped, { recipientId, privateKey: structuredClone(privateKey) });
    expect(await exportItemKey(kept)).toEqual(await exportItemKey(itemKey));
    const open = await createRecipientKeys({ extractable: true });
    expect(await crypto.subtle.exportKey("jwk", open.privateKey)).toHaveProperty("d");
  });
});
