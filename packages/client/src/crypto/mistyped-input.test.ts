import { expect, it } from "vitest";
import { utf8 } from "./bytes.js";
import { createRecipientKeys } from "./key-pairs.js";
import { sealItem } from "./seal-item.js";
import { titleHash } from "./title-hash.js";

const { publicKey } = await createRecipientKeys();
const place = { tenantId: "t-1", vaultId: "v-1", itemId: "i-1", version: 3 };
const valid = {
  place,
  kind: "login",
  titleHash: "dGl0bGU",
  plaintext: utf8("correct horse"),
  recipients: [{ recipientId: "ada", publicKey }],
};

/** Calls as a program without TypeScript can. */
const call = (target: (...args: never[]) => Promise<unknown>, ...args: readonly unknown[]): Promise<unknown> =>
  Reflect.apply(target, undefined, args);

it.each<[string, object, RegExp]>([
  ["a plaintext that is an ArrayBuffer", { plaintext: new ArrayBuffer(3) }, /^Invalid plaintext: must be a Uint8Array/],
  ["no tenant", { place: { ...place, tenantId: undefined } }, /^Invalid place/],
  ["no kind", { kind: undefined }, /^Invalid kind/],
  ["no title hash", { titleHash: undefined }, /^Invalid titleHash/],
  ["no recipients", { recipients: undefined }, /^Invalid recipients/],
  ["a recipient without an id", { recipients: [{ publicKey }] }, /^Invalid recipientId/],
  [
    "a key of a recipient that is still a JWK",
    { recipients: [{ recipientId: "ada", publicKey: { kty: "EC" } }] },
    /^Invalid public key of a recipient/,
  ],
  [
    "a writer's key that is still a JWK",
    { writer: { writerId: "ada", privateKey: { kty: "OKP" } } },
    /^Invalid key of a writer/,
  ],
])("sealItem rejects %s, which it would seal as something else", async (_, change, message) => {
  const error = expect.objectContaining({ name: "TypeError", message: expect.stringMatching(message) });
  await expect(call(sealItem, { ...valid, ...change })).rejects.toThrow(error);
});

it("sealItem accepts the bytes of Node", async () => {
  await expect(call(sealItem, { ...valid, plaintext: Buffer.from("correct horse") })).resolves.toBeDefined();
});

it("titleHash rejects a text as its key", async () => {
  await expect(call(titleHash, "key", "My bank")).rejects.toThrow(/^Invalid titleKey/);
});
