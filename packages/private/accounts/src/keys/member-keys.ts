import { createWriterKeys } from "@platform-rpc/client/crypto";
import { decodeBase64url, encodeBase64url } from "@platform-rpc/items/base64url";
import { deriveBytes } from "./derive-bytes.js";
import { type MemberKeys, titleKeyBytes } from "./user-keys.js";

const { subtle } = crypto;
const ed25519 = { name: "Ed25519" };
const aes = { name: "AES-GCM" };

/**
 * The same keys as the server stores them: AES-256-GCM with a key that is derived from the title key of the person, so that whatever
 * unlocks the keys of the person unlocks these. All bytes are base64url without padding.
 */
export interface SealedMemberKeys {
  readonly version: 1;
  /** 12 random bytes. */
  readonly nonce: string;
  readonly ciphertext: string;
  /** 32 bytes, for other members: whoever verifies with it trusts the server. */
  readonly signingPublicKey: string;
}

/** The keys of the person, and their account, to which the member keys are bound. */
export interface MemberKeysPlace {
  readonly accountId: string;
  /** The serialized keys, as `unwrapUserKeys` returns them. */
  readonly userKeys: Uint8Array<ArrayBuffer>;
}

/** The member keys in the ciphertext: the seed of the Ed25519 key, and the bytes of the wrapping key. */
interface MemberKeysJson {
  readonly signingKey: { readonly d: string; readonly x: string };
  readonly wrappingKey: string;
}

/** Thrown when member keys cannot be opened. The exact cause is not reported, for security. */
export class MemberKeysError extends Error {
  override readonly name = "MemberKeysError";

  constructor() {
    super("Cannot open the keys for your vaults: they were altered, or belong to another account.");
  }
}

export async function generateMemberKeys(place: MemberKeysPlace): Promise<SealedMemberKeys> {
  const { privateKey } = await createWriterKeys({ extractable: true });
  const { d = "", x = "" } = await subtle.exportKey("jwk", privateKey);
  const wrappingKey = encodeBase64url(crypto.getRandomValues(new Uint8Array(32)));
  const keys: MemberKeysJson = { signingKey: { d, x }, wrappingKey };
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const algorithm = { ...aes, iv, additionalData: associatedData(place) };
  const plaintext = new TextEncoder().encode(JSON.stringify(keys));
  const ciphertext = await subtle.encrypt(algorithm, await sealingKey(place, "encrypt"), plaintext);
  return {
    version: 1,
    nonce: encodeBase64url(iv),
    ciphertext: encodeBase64url(new Uint8Array(ciphertext)),
    signingPublicKey: x,
  };
}

/** Opens sealed member keys. @throws MemberKeysError (as a rejection) when they were altered, or belong to another account. */
export async function openMemberKeys(sealed: SealedMemberKeys, place: MemberKeysPlace): Promise<MemberKeys> {
  try {
    if (sealed.version !== 1) throw new MemberKeysError();
    const algorithm = { ...aes, iv: decodeBase64url(sealed.nonce), additionalData: associatedData(place) };
    const key = await sealingKey(place, "decrypt");
    const plaintext = await subtle.decrypt(algorithm, key, decodeBase64url(sealed.ciphertext));
    const { signingKey, wrappingKey }: MemberKeysJson = JSON.parse(new TextDecoder().decode(plaintext));
    const jwk = { kty: "OKP", crv: "Ed25519", x: signingKey.x };
    const raw = decodeBase64url(wrappingKey);
    const drafts = await deriveBytes({ secret: raw, info: "platform accounts 1: encrypt drafts", length: 32 });
    return {
      signingKey: await subtle.importKey("jwk", { ...jwk, d: signingKey.d }, ed25519, false, ["sign"]),
      verificationKey: await subtle.importKey("jwk", jwk, ed25519, true, ["verify"]),
      wrappingKey: await subtle.importKey("raw", raw, aes, false, ["encrypt", "decrypt"]),
      draftsKey: await subtle.importKey("raw", drafts, aes, false, ["encrypt", "decrypt"]),
    };
  } catch {
    throw new MemberKeysError();
  }
}

async function sealingKey({ userKeys }: MemberKeysPlace, usage: "encrypt" | "decrypt"): Promise<CryptoKey> {
  const secret = titleKeyBytes(userKeys);
  const key = await deriveBytes({ secret, info: "platform accounts 1: seal member keys", length: 32 });
  secret.fill(0);
  return subtle.importKey("raw", key, aes, false, [usage]);
}

function associatedData({ accountId }: MemberKeysPlace): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify(["platform accounts: member keys", 1, accountId]));
}
