import {
  constants,
  createDecipheriv,
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  privateDecrypt,
} from "node:crypto";
import { describe, expect, it } from "vitest";
import { encodeBase64url } from "./base64url.js";
import { agreementKeys, rsaPrivateKey, vectors } from "./fixtures/vectors.js";
import { exportItemKey, importItemKey } from "./item-key.js";
import { encodePlace } from "./item-place.js";
import { wrapByAgreement } from "./key-agreement.js";
import { openItem } from "./open-item.js";
import { encryptItem } from "./seal-item.js";
import { titleHash } from "./title-hash.js";
import { unwrapItemKey } from "./wrap-item-key.js";

const { item, keyAgreement, rsa, titles } = vectors;
const bytes = (encoded: string) => Buffer.from(encoded, "base64url");
const itemKeyBytes = Uint8Array.from(bytes(item.itemKey));

describe("the published test vectors: this package makes and opens them", () => {
  it("the place of an item", () => {
    expect(new TextDecoder().decode(encodePlace(item.place))).toBe(item.placeJson);
  });

  it("a payload", async () => {
    const { place, encryptedPayload } = item;
    const itemKey = await importItemKey(itemKeyBytes);
    const plaintext = new TextEncoder().encode(item.plaintext);
    const nonce = Uint8Array.from(bytes(item.nonce));
    expect(await encryptItem({ place, plaintext, itemKey, nonce })).toEqual(encryptedPayload);
    expect(await openItem({ place, encryptedPayload, itemKey })).toEqual({ plaintext, version: 3 });
  });

  it("a key wrapped by ECDH-ES+A256KW", async () => {
    const { recipientPrivateKey, ephemeralPrivateKey, wrapped } = keyAgreement;
    const { publicKey, privateKey } = await agreementKeys(recipientPrivateKey);
    const { recipientId } = wrapped;
    const ephemeral = await agreementKeys(ephemeralPrivateKey);
    const itemKey = await importItemKey(itemKeyBytes);
    expect(encodeBase64url(await wrapByAgreement(itemKey, { recipientId, publicKey }, ephemeral))).toBe(
      wrapped.wrappedKey,
    );
    expect(await exportItemKey(await unwrapItemKey(wrapped, { recipientId, privateKey }))).toEqual(itemKeyBytes);
  });

  it("a key wrapped by RSA-OAEP-256", async () => {
    const privateKey = await rsaPrivateKey(rsa.recipientPrivateKey);
    const { recipientId } = rsa.wrapped;
    expect(await exportItemKey(await unwrapItemKey(rsa.wrapped, { recipientId, privateKey }))).toEqual(itemKeyBytes);
  });

  it.each(titles)("the hash of the title $title", async ({ titleKey, title, titleHash: expected }) => {
    const algorithm = { name: "HMAC", hash: "SHA-256" };
    const key = await crypto.subtle.importKey("raw", Uint8Array.from(bytes(titleKey)), algorithm, false, ["sign"]);
    expect(await titleHash(key, title)).toBe(expected);
  });
});

describe("the published test vectors, by other means: Node's own cryptography and the words of the RFCs", () => {
  it("a payload (NIST SP 800-38D)", () => {
    const { nonce, aad, ciphertext } = item.encryptedPayload;
    const sealed = bytes(ciphertext);
    const decipher = createDecipheriv("aes-256-gcm", itemKeyBytes, bytes(nonce));
    decipher.setAAD(bytes(aad)).setAuthTag(sealed.subarray(-16));
    expect(decipher.update(sealed.subarray(0, -16), undefined, "utf8") + decipher.final("utf8")).toBe(item.plaintext);
    expect(bytes(aad).toString()).toBe(item.placeJson);
  });

  it("a key wrapped by ECDH-ES+A256KW (RFC 7518 section 4.6, RFC 3394)", () => {
    const wrapped = bytes(keyAgreement.wrapped.wrappedKey);
    const x = wrapped.subarray(1, 33).toString("base64url");
    const y = wrapped.subarray(33, 65).toString("base64url");
    expect([wrapped[0], wrapped.length]).toEqual([4, 105]);
    const secret = diffieHellman({
      privateKey: createPrivateKey({ format: "jwk", key: keyAgreement.recipientPrivateKey }),
      publicKey: createPublicKey({ format: "jwk", key: { kty: "EC", crv: "P-256", x, y } }),
    });
    const info = "\0\0\0\x0eECDH-ES+A256KW\0\0\0\0\0\0\0\x03ada\0\0\x01\0";
    const wrappingKey = createHash("sha256").update("\0\0\0\x01").update(secret).update(info, "latin1").digest();
    const unwrap = createDecipheriv("id-aes256-wrap", wrappingKey, Buffer.alloc(8, 0xa6));
    expect(Buffer.concat([unwrap.update(wrapped.subarray(65)), unwrap.final()])).toEqual(Buffer.from(itemKeyBytes));
  });

  it("a key wrapped by RSA-OAEP-256 (RFC 7518 section 4.3)", () => {
    const key = createPrivateKey({ format: "jwk", key: rsa.recipientPrivateKey });
    const padding = constants.RSA_PKCS1_OAEP_PADDING;
    const opened = privateDecrypt({ key, padding, oaepHash: "sha256" }, bytes(rsa.wrapped.wrappedKey));
    expect(opened).toEqual(Buffer.from(itemKeyBytes));
  });

  it.each(titles)("the hash of the title $title (RFC 2104)", ({ titleKey, title, titleHash: expected }) => {
    const mac = createHmac("sha256", bytes(titleKey)).update(title.normalize("NFC")).digest("base64url");
    expect(mac).toBe(expected);
  });
});
