import { expect, it } from "vitest";
import { noEarlier } from "../../../src/domain/model/item.js";
import { createContentCipher } from "../../../src/storage/postgres/content-cipher.js";
import { contentOf, itemRef } from "../../../src/testing/storage-suite/fixture.js";

const ref = itemRef("item-1");
const content = contentOf("a");
const cipher = createContentCipher(new Uint8Array(32).fill(1));
const earlier = '[{"version":1}]';
const seal = () => cipher.seal(ref, content, earlier);
const description = {
  kind: content.kind,
  alg: content.encryptedPayload.alg,
  payloadVersion: content.encryptedPayload.version,
};

it("opens what it has sealed", () => {
  const sealed = seal();
  expect(cipher.open({ ...ref, ...description, ...sealed })).toMatchObject(content);
  expect(cipher.openEarlier({ ...ref, earlier: null, ...sealed })).toBe(earlier);
  expect(cipher.seal(ref, content, noEarlier).earlier).toBeUndefined();
});

it.each([
  ["another content key", createContentCipher(new Uint8Array(32).fill(2)), {}],
  ["the salt of another content", cipher, { salt: seal().salt }],
  ["another item", cipher, { itemId: "item-2" }],
  ["another vault", cipher, { vaultId: "vault-2" }],
  ["another tenant", cipher, { tenantId: "tenant-2" }],
  ["another kind", cipher, { kind: "note" }],
  ["another version of the payload", cipher, { payloadVersion: 4 }],
])("refuses a content as damaged with %s", (_, opener, change) => {
  const stored = { ...ref, ...description, ...seal(), ...change };
  expect(() => opener.open(stored)).toThrow(expect.objectContaining({ reason: "damaged" }));
});

it.each([
  ["the salt of another content", (): object => ({ salt: seal().salt })],
  ["no salt", () => ({ salt: null })],
  ["another item", () => ({ itemId: "item-2" })],
  ["the content in their place", ({ content }: object & { content: string }) => ({ earlier: content })],
])("refuses earlier contents as damaged with %s", (_, change) => {
  const sealed = seal();
  const stored = { ...ref, earlier: null, ...sealed, ...change(sealed) };
  expect(() => cipher.openEarlier(stored)).toThrow(expect.objectContaining({ reason: "damaged" }));
});

it("returns an empty content without its salt", () => {
  const opened = cipher.open({ ...ref, ...description, ...seal(), salt: null });
  expect(opened).toMatchObject({ titleHash: "", wrappedKeys: [], encryptedPayload: { ciphertext: "" } });
});

it("cannot seal before the content key is known", () => {
  const waiting = createContentCipher(new Promise<Uint8Array>(() => {}));
  expect(() => waiting.seal(ref, content, noEarlier)).toThrow(expect.objectContaining({ reason: "unavailable" }));
});
