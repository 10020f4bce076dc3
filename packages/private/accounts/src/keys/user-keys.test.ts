import { sealItem, titleHash, unwrapItemKey } from "@platform-rpc/client/crypto";
import { expect, it } from "vitest";
import { generateUserKeys, importUserKeys, serializeUserKeys } from "./user-keys.js";

const serialized = await generateUserKeys();
const json = JSON.parse(new TextDecoder().decode(serialized));

it("generated keys open items, and cannot be exported once imported", async () => {
  const { decryptionKey, titleKey } = await importUserKeys(serialized);
  const { kty, alg, n, e } = json.encryptionKey;
  const rsa = { name: "RSA-OAEP", hash: "SHA-256" };
  const publicKey = await crypto.subtle.importKey("jwk", { kty, alg, n, e }, rsa, false, ["wrapKey"]);
  const { wrappedKeys } = await sealItem({
    place: { tenantId: "t", vaultId: "v", itemId: "i", version: 1 },
    kind: "login",
    titleHash: await titleHash(titleKey, "Example mail"),
    plaintext: new TextEncoder().encode("secret"),
    recipients: [{ recipientId: "ada", publicKey }],
  });
  const [wrapped] = wrappedKeys;
  if (wrapped === undefined) throw new Error("the item has no wrapped key");
  await unwrapItemKey(wrapped, { recipientId: "ada", privateKey: decryptionKey });
  await expect(crypto.subtle.exportKey("jwk", decryptionKey)).rejects.toThrow();
  await expect(crypto.subtle.exportKey("jwk", titleKey)).rejects.toThrow();
});

it("serializing exported keys again gives the same bytes", () => {
  expect(serializeUserKeys(json)).toEqual(serialized);
});
