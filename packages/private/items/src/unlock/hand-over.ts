import { type VaultKey, type WebCryptoKey, wrapVaultKey } from "@platform-rpc/client/crypto";
import { decodeBase64url, encodeBase64url } from "../base64url.js";
import { type Certificate, certify } from "./certificate.js";
import { statement } from "./statement.js";
import type { UnlockRequest } from "./unlock-code.js";

/** The key of a vault, wrapped for the program. */
export interface HandedKey {
  readonly vaultId: string;
  readonly keyId: string;
  readonly epoch: number;
  readonly wrappedKey: string;
}

/** What a person hands to a program. Only the program can open it, and everything is signed by the person. */
export interface HandOver {
  /** The ECDH key of the page, which is used once: an uncompressed point. */
  readonly pageKey: string;
  readonly vaults: readonly HandedKey[];
  readonly certificate: Certificate;
  /** The signing keys of the programs whose certificates the person has removed: the server may list one again. */
  readonly removed: readonly string[];
  readonly signature: string;
}

/** The person, and the open keys that they hand over. */
export interface HandedOver extends Pick<HandOver, "removed"> {
  /** The person's Ed25519 key. */
  readonly personKey: WebCryptoKey;
  readonly vaults: readonly (Pick<HandedKey, "vaultId" | "keyId" | "epoch"> & { readonly vaultKey: VaultKey })[];
}

export interface Received extends Pick<HandOver, "vaults" | "removed"> {
  /** AES-256-GCM: opens the keys of the vaults. The account of their place is the id of the unlocking. */
  readonly wrappingKey: Uint8Array<ArrayBuffer>;
}

/** Thrown when a hand-over is not the person's. The exact cause is not reported, for security. */
export class HandOverError extends Error {
  override readonly name = "HandOverError";

  constructor() {
    super("The keys were not handed over by the person, or were changed on the way.");
  }
}

const curve = { name: "ECDH", namedCurve: "P-256" };

export async function createEncryptionKey() {
  const { privateKey, publicKey } = await crypto.subtle.generateKey(curve, false, ["deriveBits"]);
  return { privateKey, encryptionKey: await exportPoint(publicKey) };
}

/** Wraps the keys of vaults for a program, and signs them with its certificate. Compare the code of the request first. */
export async function handOver(request: UnlockRequest, handedOver: HandedOver): Promise<HandOver> {
  const { personKey, vaults, removed } = handedOver;
  const { privateKey, encryptionKey: pageKey } = await createEncryptionKey();
  const bytes = await agree(request, privateKey, request.encryptionKey, pageKey);
  const wrappingKey = await crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]);
  bytes.fill(0);
  const wrapped = await Promise.all(
    vaults.map(async ({ vaultKey, vaultId, keyId, epoch }) => {
      const place = { wrappingKey, accountId: request.unlockId, vaultId, keyId, epoch };
      return { vaultId, keyId, epoch, wrappedKey: await wrapVaultKey(vaultKey, place) };
    }),
  );
  const certificate = await certify(request.signingKey, request, personKey);
  const unsigned = { pageKey, vaults: wrapped, certificate, removed };
  const signature = await crypto.subtle.sign("Ed25519", personKey, signedBytes(request, unsigned));
  return { ...unsigned, signature: encodeBase64url(new Uint8Array(signature)) };
}

/** Verifies a hand-over, and derives the key that opens it. @throws HandOverError unless the person has signed it for this request. */
export async function receive(
  request: UnlockRequest,
  handedOver: HandOver,
  { privateKey, personKey }: { readonly privateKey: WebCryptoKey; readonly personKey: WebCryptoKey },
): Promise<Received> {
  try {
    const { pageKey, vaults, removed, signature } = handedOver;
    const signed = signedBytes(request, handedOver);
    const isPersons = await crypto.subtle.verify("Ed25519", personKey, decodeBase64url(signature), signed);
    if (!isPersons || handedOver.certificate.signingKey !== request.signingKey) throw new HandOverError();
    return { wrappingKey: await agree(request, privateKey, pageKey, pageKey), vaults, removed };
  } catch {
    throw new HandOverError();
  }
}

function signedBytes(request: UnlockRequest, unsigned: Omit<HandOver, "signature">) {
  const { pageKey, vaults, certificate, removed } = unsigned;
  const { tenantId, accountId, unlockId, encryptionKey, signingKey } = request;
  const keys = vaults.map(({ vaultId, keyId, epoch, wrappedKey }) => [vaultId, keyId, epoch, wrappedKey]);
  const about = [tenantId, accountId, unlockId, encryptionKey, signingKey];
  return statement("hand-over", ...about, pageKey, keys, certificate.signature, removed);
}

/** Derives the wrapping key with ECDH and HKDF-SHA-256 (RFC 5869), bound to the request and both keys. */
async function agree(request: UnlockRequest, privateKey: WebCryptoKey, otherKey: string, pageKey: string) {
  const { tenantId, accountId, unlockId, encryptionKey, signingKey } = request;
  const publicKey = await crypto.subtle.importKey("raw", decodeBase64url(otherKey), curve, true, []);
  const shared = await crypto.subtle.deriveBits({ name: "ECDH", public: publicKey }, privateKey, 256);
  const secret = await crypto.subtle.importKey("raw", shared, "HKDF", false, ["deriveBits"]);
  const info = statement("wrapping key", tenantId, accountId, unlockId, encryptionKey, signingKey, pageKey);
  const kdf = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info };
  return new Uint8Array(await crypto.subtle.deriveBits(kdf, secret, 256));
}

async function exportPoint(publicKey: WebCryptoKey): Promise<string> {
  return encodeBase64url(new Uint8Array(await crypto.subtle.exportKey("raw", publicKey)));
}
