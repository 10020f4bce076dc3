import {
  createDecipheriv,
  createHash,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  hkdfSync,
  verify,
} from "node:crypto";
import { describe, expect, it } from "vitest";
import { encodeBase64url } from "./bytes.js";
import { agreementKeys, rsaPrivateKey, signingKeys, vectors } from "./fixtures/vectors.js";
import type { EncryptedPayload } from "./item-fields.js";
import { exportItemKey, importItemKey } from "./item-key.js";
import { wrapByAgreement } from "./key-agreement.js";
import { openItem } from "./open-item.js";
import { keyCommitment } from "./payload.js";
import { encryptItem } from "./seal-item.js";
import { titleHash } from "./title-hash.js";
import { unwrapItemKey } from "./wrap-item-key.js";

const { items, twoKeys, keyAgreement, rsa, titles } = vectors;
const bytes = (encoded: string) => Buffer.from(encoded, "base64url");
const itemKeyBytes = Uint8Array.from(bytes(items[0]?.itemKey ?? ""));

describe("the published test vectors are created and opened by this package:", () => {
  it.each(items.slice(1))("a payload: $about", async ({ place, kind, titleHash: hash, encryptedPayload, ...item }) => {
    const itemKey = await importItemKey(Uint8Array.from(bytes(item.itemKey)));
    const plaintext = new TextEncoder().encode(item.plaintext);
    const nonce = Uint8Array.from(bytes(item.nonce));
    const writer = item.writer && { ...item.writer, ...(await signingKeys(item.writer.privateKey)) };
    const bindings = { place, kind, titleHash: hash, itemKey };
    expect(await keyCommitment(itemKey)).toBe(item.keyCommitment);
    expect(await encryptItem({ ...bindings, plaintext, nonce, writer })).toEqual(encryptedPayload);
    const writers = writer && [writer];
    const opened = { plaintext, version: 3, format: 2, writerId: writer?.writerId };
    expect(await openItem({ ...bindings, encryptedPayload, writers })).toEqual(opened);
  });

  it("a payload of format 1", async () => {
    const [item] = items;
    if (item === undefined) return expect.unreachable("there is no vector of format 1");
    const itemKey = await importItemKey(itemKeyBytes);
    const plaintext = new TextEncoder().encode(item.plaintext);
    const opened = { plaintext, version: 3, format: 1, writerId: undefined };
    expect(await openItem({ ...item, itemKey })).toEqual(opened);
  });

  it("a ciphertext that AES-GCM decrypts with two keys is opened with only one of them", async () => {
    const outcomes = twoKeys.itemKeys.map(async (key) => {
      const itemKey = await importItemKey(Uint8Array.from(bytes(key)));
      return await openItem({ ...twoKeys, itemKey });
    });
    const [first, second] = await Promise.allSettled(outcomes);
    expect(first).toMatchObject({ status: "fulfilled", value: { version: 3, format: 2 } });
    expect(second).toMatchObject({ status: "rejected", reason: { name: "OpenError" } });
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

describe("the published test vectors match node:crypto and the RFCs:", () => {
  const decrypted = (payload: EncryptedPayload, key: Uint8Array): Buffer => {
    const sealed = bytes(payload.ciphertext);
    const decipher = createDecipheriv("aes-256-gcm", key, bytes(payload.nonce));
    decipher.setAAD(bytes(payload.aad)).setAuthTag(sealed.subarray(-16));
    return Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
  };

  it.each(items)("a payload (NIST SP 800-38D, RFC 5869): $about", (item) => {
    const { encryptedPayload, aadJson, place, kind, titleHash: hash, keyCommitment: commitment } = item;
    expect(bytes(encryptedPayload.aad).toString()).toBe(aadJson);
    const where = [encryptedPayload.version, place.tenantId, place.vaultId, place.itemId, place.version];
    const rest = commitment === undefined ? [] : [kind, hash, commitment];
    expect(JSON.parse(aadJson)).toEqual([...where, ...rest]);
    const info = "platform.v1 item key commitment";
    const derived = Buffer.from(hkdfSync("sha256", itemKeyBytes, "", info, 32)).toString("base64url");
    expect([undefined, derived]).toContain(commitment);
    const content = decrypted(encryptedPayload, itemKeyBytes);
    expect(content.toString("base64url")).toBe(item.sealedContent ?? content.toString("base64url"));
    expect(content.toString().endsWith(item.plaintext)).toBe(true);
  });

  it("the signature of a writer (RFC 8032)", () => {
    const signed = items.flatMap(({ writer, ...item }) => (writer === undefined ? [] : [{ writer, ...item }]));
    expect(signed).toHaveLength(1);
    for (const { writer, aadJson, plaintext, sealedContent = "" } of signed) {
      const { d: _, ...publicJwk } = writer.privateKey;
      const hash = createHash("sha256").update(plaintext).digest().toString("latin1");
      const aadLength = String.fromCharCode(0, 0, 0, aadJson.length);
      const statement = `platform.v1 sealed item\0${aadLength}${aadJson}\0\0\0\x03ada${hash}`;
      expect(bytes(writer.signedStatement).toString("latin1")).toBe(statement);
      const publicKey = createPublicKey({ format: "jwk", key: publicJwk });
      expect(verify(null, Buffer.from(statement, "latin1"), publicKey, bytes(writer.signature))).toBe(true);
      const content = `\x01\x03ada${bytes(writer.signature).toString("latin1")}${plaintext}`;
      expect(bytes(sealedContent).toString("latin1")).toBe(content);
    }
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
});
