import { decodeBase64url, encodeBase64url } from "./base64url.js";

export interface VaultFileItem {
  readonly kind: string;
  /** The text of its content, exactly as it was sealed: `docs/items.md` defines it. */
  readonly content: string;
  /** The name of the vault in which it was. */
  readonly vault: string;
  /** What it contained before, the newest first. A reader ignores it. Default: nothing. */
  readonly earlier?: readonly EarlierText[];
}

/** A content that was replaced. */
interface EarlierText extends Pick<VaultFileItem, "content"> {
  /** In ISO 8601. */
  readonly replacedAt: string;
}

/** Why a file cannot be read, as a sentence for people. */
export class VaultFileError extends Error {
  override readonly name = "VaultFileError";

  constructor(
    message: string,
    /** Whether another passphrase may open the file. */
    readonly needsPassphrase = false,
  ) {
    super(message);
  }
}

export const vaultFileLimits = {
  /** PBKDF2 takes about a second for 10 million: a file cannot stop the page for longer. */
  iterations: { least: 600_000, most: 10_000_000 },
  /** In UTF-16 code units of the whole text. */
  text: 256 * 1024 * 1024,
  items: 100_000,
} as const;

const format = "platform-vault";
const version = 1;
const kdfName = "PBKDF2-SHA-256";
const [saltBytes, nonceBytes, tagBytes] = [16, 12, 16] as const;

/** What of the file is not encrypted. All of it is bound to the ciphertext. */
interface Header {
  readonly iterations: number;
  readonly salt: Uint8Array<ArrayBuffer>;
  readonly nonce: Uint8Array<ArrayBuffer>;
}

/** Encrypts items with a passphrase. `docs/export.md` describes the format. */
export async function writeVaultFile(items: readonly VaultFileItem[], passphrase: string): Promise<string> {
  const header = {
    iterations: vaultFileLimits.iterations.least,
    salt: crypto.getRandomValues(new Uint8Array(saltBytes)),
    nonce: crypto.getRandomValues(new Uint8Array(nonceBytes)),
  };
  const plaintext = new TextEncoder().encode(
    JSON.stringify({
      items: items.map(({ kind, content, vault, earlier = [] }) => {
        return { kind, content, vault, ...(earlier.length > 0 && { earlier }) };
      }),
    }),
  );
  const ciphertext = await crypto.subtle.encrypt(parametersOf(header), await keyOf(passphrase, header), plaintext);
  const { iterations, salt, nonce } = header;
  const kdf = { name: kdfName, iterations, salt: encodeBase64url(salt) };
  return JSON.stringify({
    format,
    version,
    kdf,
    nonce: encodeBase64url(nonce),
    ciphertext: encodeBase64url(new Uint8Array(ciphertext)),
  });
}

/** @throws VaultFileError (as a rejection) when the passphrase is wrong, or the file was altered, is too large, or is of a newer version */
export async function readVaultFile(text: string, passphrase: string): Promise<readonly VaultFileItem[]> {
  const { header, ciphertext } = readEnvelope(text);
  const key = await keyOf(passphrase, header);
  const plaintext = await crypto.subtle.decrypt(parametersOf(header), key, ciphertext).catch(() => {
    // Nobody can tell the two apart.
    const message = "The passphrase is wrong, or the file was altered. Check the passphrase, and try again.";
    throw new VaultFileError(message, true);
  });
  return readItems(plaintext);
}

/** Returns whether a text is such a file, of any version. */
export function isVaultFile(text: string): boolean {
  return text.length <= vaultFileLimits.text && formatOf(parse(text)) === format;
}

function readEnvelope(text: string): { readonly header: Header; readonly ciphertext: Uint8Array<ArrayBuffer> } {
  if (text.length > vaultFileLimits.text) throw new VaultFileError("The file is too large.");
  const envelope = parse(text);
  if (formatOf(envelope) !== format) throw new VaultFileError("This is not an encrypted vault file.");
  const { version: written, kdf, nonce, ciphertext } = record(envelope);
  if (typeof written === "number" && written > version) {
    throw new VaultFileError("A newer version of the vault has written this file. Reload the page, and try again.");
  }
  const { name, iterations, salt } = record(kdf);
  const { least, most } = vaultFileLimits.iterations;
  const known = written === version && name === kdfName;
  if (!known || typeof iterations !== "number" || !Number.isInteger(iterations)) throw damaged();
  // A small count would let who alters the file try out passphrases faster, and a large one would stop the page.
  if (iterations < least || iterations > most) {
    throw new VaultFileError(`The file was altered: it asks for ${iterations} iterations of ${kdfName}.`);
  }
  const header = { iterations, salt: decode(salt), nonce: decode(nonce) };
  const sealed = decode(ciphertext);
  if (header.salt.length !== saltBytes || header.nonce.length !== nonceBytes || sealed.length < tagBytes) {
    throw damaged();
  }
  return { header, ciphertext: sealed };
}

function readItems(plaintext: ArrayBuffer): readonly VaultFileItem[] {
  const { items } = record(parse(new TextDecoder().decode(plaintext)));
  if (!Array.isArray(items) || items.length > vaultFileLimits.items) throw damaged();
  return items.map((item: unknown) => {
    const { kind, content, vault } = record(item);
    if (typeof kind !== "string" || typeof content !== "string" || typeof vault !== "string") throw damaged();
    return { kind, content, vault };
  });
}

const damaged = () => new VaultFileError("The file is damaged: a part of it is missing, or was altered.");

async function keyOf(passphrase: string, { iterations, salt }: Header): Promise<CryptoKey> {
  // The same passphrase has other bytes on another keyboard.
  const bytes = new TextEncoder().encode(passphrase.normalize("NFC"));
  const secret = await crypto.subtle.importKey("raw", bytes, "PBKDF2", false, ["deriveKey"]);
  const algorithm = { name: "PBKDF2", hash: "SHA-256", iterations, salt };
  return crypto.subtle.deriveKey(algorithm, secret, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
}

function parametersOf({ iterations, salt, nonce }: Header) {
  const bound = JSON.stringify([format, version, kdfName, iterations, encodeBase64url(salt), encodeBase64url(nonce)]);
  return { name: "AES-GCM", iv: nonce, additionalData: new TextEncoder().encode(bound) };
}

function decode(text: unknown): Uint8Array<ArrayBuffer> {
  try {
    if (typeof text === "string") return decodeBase64url(text);
  } catch {
    // Reported below.
  }
  throw damaged();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function formatOf(envelope: unknown): unknown {
  const { format: found } = record(envelope);
  return found;
}

/** Returns the members of an object. Other values have none. */
function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}
