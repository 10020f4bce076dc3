import { exportItemKey, importItemKey, openItem, titleHash, unwrapItemKey } from "@platform-rpc/client/crypto";
import type { SealedVector, Vectors, WrappedVector } from "./program-input.ts";
import type { ProgramResult } from "./program-result.ts";

/** Opens the published test vectors with the public API. */
export async function openPublished({
  items,
  keyAgreement,
  rsa,
  titles,
}: Vectors): Promise<ProgramResult["published"]> {
  const ecdh = { name: "ECDH", namedCurve: "P-256" };
  const rsaOaep = { name: "RSA-OAEP", hash: "SHA-256" };
  return {
    items: await Promise.all(items.map(open)),
    itemKeys: [await unwrap(keyAgreement, ecdh, "deriveBits"), await unwrap(rsa, rsaOaep, "unwrapKey")],
    titleHashes: await Promise.all(
      titles.map(async ({ titleKey, title }) => {
        const hmac = { name: "HMAC", hash: "SHA-256" };
        return titleHash(await crypto.subtle.importKey("raw", bytes(titleKey), hmac, false, ["sign"]), title);
      }),
    ),
  };
}

async function open({ writer, ...item }: SealedVector): Promise<string> {
  const itemKey = await importItemKey(bytes(item.itemKey));
  const writers = writer && [{ writerId: writer.writerId, publicKey: await verificationKey(writer.privateKey) }];
  const { plaintext, format, writerId } = await openItem({ ...item, itemKey, writers });
  return `${format} ${writerId}: ${new TextDecoder().decode(plaintext)}`;
}

function verificationKey({ kty = "", crv = "", x = "" }: Readonly<Record<string, string>>) {
  return crypto.subtle.importKey("jwk", { kty, crv, x }, "Ed25519", false, ["verify"]);
}

async function unwrap(
  { recipientPrivateKey, wrapped }: WrappedVector,
  algorithm: { readonly name: string },
  usage: "deriveBits" | "unwrapKey",
): Promise<string> {
  const privateKey = await crypto.subtle.importKey("jwk", recipientPrivateKey, algorithm, false, [usage]);
  const itemKey = await unwrapItemKey(wrapped, { recipientId: wrapped.recipientId, privateKey });
  return base64url(await exportItemKey(itemKey));
}

function bytes(encoded: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(encoded.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
