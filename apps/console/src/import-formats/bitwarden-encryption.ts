import { argon2idAsync } from "@noble/hashes/argon2.js";
import { ImportError } from "./format.js";
import { type Json, textOf } from "./json.js";

const { subtle } = crypto;
const hmac = { name: "HMAC", hash: "SHA-256" };

/**
 * What deriving a key may cost. Bitwarden allows 2 million iterations of PBKDF2, and 10 of Argon2id with 1024 MiB: with JavaScript, the
 * last one would take minutes.
 */
const most = { pbkdf2: 2_000_000, argon2: 10, mebibytes: 512, passes: 2_048, lanes: 16 } as const;

/** @throws ImportError if the password is wrong or missing, or the file has another form */
export async function decryptExport(file: Json, password: string | undefined): Promise<string> {
  const { passwordProtected, encKeyValidation_DO_NOT_EDIT: validation, data } = file;
  if (passwordProtected !== true) {
    throw new ImportError(
      "The file can be opened only by the account of Bitwarden that wrote it. Export it again, as JSON, or as encrypted JSON with a password.",
    );
  }
  if (password === undefined || password === "") {
    throw new ImportError("The file is encrypted. Enter the password that you chose for the export.", true);
  }
  const keys = await fileKeys(file, password);
  if ((await decrypt(textOf(validation), keys)) === undefined) {
    throw new ImportError("The password is wrong. Enter the password that you chose for the export.", true);
  }
  const opened = await decrypt(textOf(data), keys);
  if (opened === undefined) {
    throw new ImportError("The password is right, but the file was changed or is not complete. Export it again.");
  }
  return opened;
}

interface FileKeys {
  readonly encryption: CryptoKey;
  readonly authentication: CryptoKey;
}

async function fileKeys(file: Json, password: string): Promise<FileKeys> {
  const key = await subtle.importKey("raw", await derive(file, password), hmac, false, ["sign"]);
  // HKDF-Expand alone, for one block (RFC 5869 section 2.3).
  const expand = (purpose: string) => subtle.sign("HMAC", key, utf8(`${purpose}\u0001`));
  return {
    encryption: await subtle.importKey("raw", await expand("enc"), "AES-CBC", false, ["decrypt"]),
    authentication: await subtle.importKey("raw", await expand("mac"), hmac, false, ["verify"]),
  };
}

async function derive(file: Json, password: string): Promise<Uint8Array<ArrayBuffer>> {
  const { kdfType, kdfIterations: iterations, kdfMemory: memory, kdfParallelism: lanes, salt: saltText } = file;
  const salt = utf8(textOf(saltText));
  if (kdfType === 0) {
    if (!isWithin(iterations, most.pbkdf2)) throw tooCostly();
    const key = await subtle.importKey("raw", utf8(password), "PBKDF2", false, ["deriveBits"]);
    return new Uint8Array(await subtle.deriveBits({ name: "PBKDF2", hash: "SHA-256", salt, iterations }, key, 256));
  }
  if (kdfType === 1) {
    const fits =
      isWithin(iterations, most.argon2) &&
      isWithin(memory, most.mebibytes) &&
      isWithin(lanes, most.lanes) &&
      iterations * memory <= most.passes;
    if (!fits) throw tooCostly();
    const hashed = new Uint8Array(await subtle.digest("SHA-256", salt));
    return new Uint8Array(
      await argon2idAsync(utf8(password), hashed, { t: iterations, m: memory * 1024, p: lanes, dkLen: 32 }),
    );
  }
  throw new ImportError("The file derives its key in a way that is not known here. Export it as plain JSON.");
}

function isWithin(value: unknown, limit: number): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= limit;
}

function tooCostly(): ImportError {
  return new ImportError(
    "The settings of the file's key derivation are missing, or would keep this browser busy for minutes. Lower them in Bitwarden (Settings, Security, Keys), and export again, or export plain JSON.",
  );
}

/** Decrypts a text of Bitwarden, of type 2: AES-CBC-256 with HMAC-SHA-256. Returns undefined if it was changed or has another key. */
async function decrypt(text: string, { encryption, authentication }: FileKeys): Promise<string | undefined> {
  const parts = /^2\.([\w+/=]+)\|([\w+/=]+)\|([\w+/=]+)$/.exec(text)?.slice(1);
  if (parts === undefined) throw new ImportError("The file is not complete. Export it from Bitwarden again.");
  try {
    const [iv = new Uint8Array(), ciphertext = new Uint8Array(), mac = new Uint8Array()] = parts.map(decodeBase64);
    const signed = new Uint8Array(iv.byteLength + ciphertext.byteLength);
    signed.set(iv);
    signed.set(ciphertext, iv.byteLength);
    if (!(await subtle.verify("HMAC", authentication, mac, signed))) return undefined;
    const opened = await subtle.decrypt({ name: "AES-CBC", iv }, encryption, ciphertext);
    return new TextDecoder("utf-8", { fatal: true }).decode(opened);
  } catch {
    return undefined;
  }
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  // Not with `Uint8Array.from`: it takes seconds for 10 MB.
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

function utf8(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}
