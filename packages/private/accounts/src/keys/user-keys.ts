import { createRecipientKeys } from "@platform-rpc/client/crypto";
import { decodeBase64url } from "@platform-rpc/items/base64url";

const { subtle } = crypto;
const rsa = { name: "RSA-OAEP", hash: "SHA-256" };
const hmac = { name: "HMAC", hash: "SHA-256" };

/** The private keys of a person, for the functions of `@platform-rpc/client/crypto`. Scripts can use them, but not export them. */
export interface UserKeys {
  /** Unwraps the keys of items: RSA-OAEP-256. */
  readonly decryptionKey: CryptoKey;
  /** Hashes titles: HMAC-SHA-256. */
  readonly titleKey: CryptoKey;
}

/** All keys of a person, as an unlocked browser has them. */
export interface UnlockedKeys extends UserKeys {
  readonly member: MemberKeys;
}

/** What a person has as a member of vaults. Scripts can use the keys, but not export them. */
export interface MemberKeys {
  /** Signs the items that the person writes: Ed25519. */
  readonly signingKey: CryptoKey;
  /** Verifies them. It comes from the sealed private key, never from the server. */
  readonly verificationKey: CryptoKey;
  /** Wraps the keys of vaults: AES-256-GCM. */
  readonly wrappingKey: CryptoKey;
  /** Encrypts what their browser keeps: what they have typed and not saved, and what is in the file of an import. AES-256-GCM. */
  readonly draftsKey: CryptoKey;
}

/** The keys that every account has, as JWKs (RFC 7517). */
export interface UserKeysJson {
  readonly encryptionKey: JsonWebKey;
  readonly titleKey: JsonWebKey;
}

/** Generates the keys of a new account, serialized: JSON in UTF-8. Takes up to a second. */
export async function generateUserKeys(): Promise<Uint8Array<ArrayBuffer>> {
  const { privateKey } = await createRecipientKeys({ wrapAlg: "RSA-OAEP-256", extractable: true });
  const titleKey = await subtle.generateKey({ ...hmac, length: 256 }, true, ["sign"]);
  return serializeUserKeys({
    encryptionKey: await subtle.exportKey("jwk", privateKey),
    titleKey: await subtle.exportKey("jwk", titleKey),
  });
}

/** Serializes keys: JSON in UTF-8, without the members that differ between browsers. */
export function serializeUserKeys({ encryptionKey, titleKey }: UserKeysJson): Uint8Array<ArrayBuffer> {
  const keys = {
    encryptionKey: pick(encryptionKey, ["kty", "alg", "n", "e", "d", "p", "q", "dp", "dq", "qi"]),
    titleKey: pick(titleKey, ["kty", "alg", "k"]),
  };
  return new TextEncoder().encode(JSON.stringify(keys));
}

function pick(jwk: JsonWebKey, members: readonly (keyof JsonWebKey)[]): object {
  return Object.fromEntries(members.map((member) => [member, jwk[member]]));
}

/** Imports serialized keys, which must come from `unwrapUserKeys` or `generateUserKeys`. */
export async function importUserKeys(serialized: Uint8Array): Promise<UserKeys> {
  const { encryptionKey, titleKey } = parse(serialized);
  return {
    decryptionKey: await subtle.importKey("jwk", encryptionKey, rsa, false, ["unwrapKey"]),
    titleKey: await subtle.importKey("jwk", titleKey, hmac, false, ["sign"]),
  };
}

/** Returns the bytes of the title key in serialized keys: a secret from which others are derived. */
export function titleKeyBytes(serialized: Uint8Array): Uint8Array<ArrayBuffer> {
  return decodeBase64url(parse(serialized).titleKey.k ?? "");
}

function parse(serialized: Uint8Array): UserKeysJson {
  return JSON.parse(new TextDecoder().decode(serialized));
}
