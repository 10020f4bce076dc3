import { decodeBase64url } from "@platform-rpc/items/base64url";

/** An SSH key, in the text forms of OpenSSH. */
export interface SshKey {
  /** A line for `authorized_keys`: `ssh-ed25519 AAAA… comment`. */
  readonly publicKey: string;
  /** The contents of a key file, not encrypted. */
  readonly privateKey: string;
  /** `SHA256:…`, as `ssh-keygen -l` prints it. */
  readonly fingerprint: string;
}

const keyType = "ssh-ed25519";
/** Private keys that are not encrypted are padded to blocks of 8 bytes. */
const blockBytes = 8;

/**
 * Creates an Ed25519 key. The comment says for people what the key is; line breaks in it become spaces.
 *
 * @throws DOMException NotSupportedError (as a rejection) in browsers without Ed25519: before Chrome 137, Firefox 129 and Safari 17.
 * @see https://github.com/openssh/openssh-portable/blob/master/PROTOCOL.key
 */
export async function createSshKey(comment: string): Promise<SshKey> {
  const pair = await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]);
  const { d = "", x = "" } = await crypto.subtle.exportKey("jwk", pair.privateKey);
  const [seed, point] = [decodeBase64url(d), decodeBase64url(x)];
  const singleLine = comment.replaceAll(/[\r\n\0]+/g, " ").trim();
  const publicKey = concat(sshString(keyType), sshString(point));
  const privateKey = encodePrivateKey({ publicKey, point, seed, comment: singleLine });
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", publicKey));
  return {
    publicKey: `${keyType} ${encodeBase64(publicKey)} ${singleLine}`.trim(),
    privateKey: pem(privateKey),
    fingerprint: `SHA256:${encodeBase64(hash).replace(/=+$/, "")}`,
  };
}

interface PrivateKeyParts {
  readonly publicKey: Uint8Array;
  readonly point: Uint8Array;
  readonly seed: Uint8Array;
  readonly comment: string;
}

/** Encodes a private key as `openssh-key-v1`, with the cipher `none`. */
function encodePrivateKey({ publicKey, point, seed, comment }: PrivateKeyParts): Uint8Array {
  // The same random number twice shows a reader that it has decrypted the key correctly.
  const check = crypto.getRandomValues(new Uint8Array(4));
  const key = [sshString(keyType), sshString(point), sshString(concat(seed, point)), sshString(comment)];
  const unpadded = concat(check, check, ...key);
  const padding = Uint8Array.from({ length: -unpadded.byteLength & (blockBytes - 1) }, (_, index) => index + 1);
  const magic = new TextEncoder().encode("openssh-key-v1\0");
  // The cipher, the key derivation and its options, and the number of keys.
  const header = concat(magic, sshString("none"), sshString("none"), sshString(""), uint32(1));
  return concat(header, sshString(publicKey), sshString(concat(unpadded, padding)));
}

function pem(bytes: Uint8Array): string {
  const lines = encodeBase64(bytes).match(/.{1,70}/g) ?? [];
  return ["-----BEGIN OPENSSH PRIVATE KEY-----", ...lines, "-----END OPENSSH PRIVATE KEY-----", ""].join("\n");
}

/** Encodes a string of SSH: its length, then its bytes (RFC 4251 section 5). */
function sshString(value: string | Uint8Array): Uint8Array {
  const bytes = typeof value === "string" ? new TextEncoder().encode(value) : value;
  return concat(uint32(bytes.byteLength), bytes);
}

function uint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}

function concat(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

function encodeBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}
