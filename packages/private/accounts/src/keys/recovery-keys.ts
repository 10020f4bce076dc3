import { decodeBase64url, encodeBase64url } from "@platform-rpc/items/base64url";
import { deriveBytes } from "./derive-bytes.js";

const { subtle } = crypto;
const ed25519 = { name: "Ed25519" };

/** What is derived from a recovery code. The code itself, and the two secrets, never leave the browser. */
export interface RecoveryKeys {
  /** Identifies the account: 16 bytes in base64url. It reveals nothing about the code. */
  readonly locator: string;
  /** Signs the challenges of the server. */
  readonly signInKey: CryptoKey;
  /** Its public key: 32 bytes in base64url. */
  readonly signInPublicKey: string;
  /** Wraps the private keys of the person. */
  readonly wrappingSecret: Uint8Array<ArrayBuffer>;
}

/** What a person who signs in with a recovery code signs. */
export interface RecoveryChallenge {
  /** The origin of the page, so that a signature for another site is not accepted. */
  readonly origin: string;
  readonly challenge: string;
}

/** The DER prefix of an Ed25519 private key in PKCS#8 (RFC 8410 section 7). */
const pkcs8Prefix = Uint8Array.from([48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 112, 4, 34, 4, 32]);

/** Derives the keys of a recovery code. @throws DOMException NotSupportedError when the runtime's WebCrypto lacks Ed25519. */
export async function deriveRecoveryKeys(code: Uint8Array<ArrayBuffer>): Promise<RecoveryKeys> {
  const derive = (purpose: string, length: number) =>
    deriveBytes({ secret: code, info: `platform accounts 1: recovery code, ${purpose}`, length });
  const seed = await derive("sign in", 32);
  const pkcs8 = Uint8Array.from([...pkcs8Prefix, ...seed]);
  const { x = "" } = await subtle.exportKey("jwk", await subtle.importKey("pkcs8", pkcs8, ed25519, true, ["sign"]));
  return {
    locator: encodeBase64url(await derive("locator", 16)),
    signInKey: await subtle.importKey("pkcs8", pkcs8, ed25519, false, ["sign"]),
    signInPublicKey: x,
    wrappingSecret: await derive("wrap", 32),
  };
}

/** Signs a challenge. Returns the signature in base64url. */
export async function signRecoveryChallenge(signInKey: CryptoKey, challenge: RecoveryChallenge): Promise<string> {
  return encodeBase64url(new Uint8Array(await subtle.sign(ed25519, signInKey, messageOf(challenge))));
}

/** Returns whether a signature of a challenge is valid. Also accepts untrusted input that is not base64url. */
export async function verifyRecoverySignature(
  signInPublicKey: string,
  signature: string,
  challenge: RecoveryChallenge,
): Promise<boolean> {
  try {
    const key = await subtle.importKey("raw", decodeBase64url(signInPublicKey), ed25519, false, ["verify"]);
    return await subtle.verify(ed25519, key, decodeBase64url(signature), messageOf(challenge));
  } catch {
    return false;
  }
}

function messageOf({ origin, challenge }: RecoveryChallenge): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify(["platform accounts: recovery sign-in", 1, origin, challenge]));
}
