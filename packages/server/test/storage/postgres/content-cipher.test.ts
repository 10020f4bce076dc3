import { expect, it } from "vitest";
import { createContentCipher } from "../../../src/storage/postgres/content-cipher.js";
import { contentOf, itemRef } from "../../../src/testing/storage-suite/fixture.js";

const ref = itemRef("item-1");
const content = contentOf("a");
const cipher = createContentCipher(new Uint8Array(32).fill(1));
const description = {
  kind: content.kind,
  alg: content.encryptedPayload.alg,
  payloadVersion: content.encryptedPayload.version,
};

it("opens what it has sealed", () => {
  expect(cipher.open({ ...ref, ...description, ...cipher.seal(ref, content) })).toMatchObject(content);
});

it.each([
  ["another content key", createContentCipher(new Uint8Array(32).fill(2)), {}],
  ["the salt of another content", cipher, { salt: cipher.seal(ref, content).salt }],
  ["another item", cipher, { itemId: "item-2" }],
  ["another vault", cipher, { vaultId: "vault-2" }],
  ["another tenant", cipher, { tenantId: "tenant-2" }],
  ["another kind", cipher, { kind: "note" }],
  ["another version of the payload", cipher, { payloadVersion: 4 }],
])("refuses a content as damaged with %s", (_, opener, change) => {
  const stored = { ...ref, ...description, ...cipher.seal(ref, content), ...change };
  expect(() => opener.open(stored)).toThrow(expect.objectContaining({ reason: "damaged" }));
});

it("returns an empty content without its salt", () => {
  const opened = cipher.open({ ...ref, ...description, ...cipher.seal(ref, content), salt: null });
  expect(opened).toMatchObject({ titleHash: "", wrappedKeys: [], encryptedPayload: { ciphertext: "" } });
});

it("cannot seal before the content key is known", () => {
  const waiting = createContentCipher(new Promise<Uint8Array>(() => {}));
  expect(() => waiting.seal(ref, content)).toThrow(expect.objectContaining({ reason: "unavailable" }));
});
