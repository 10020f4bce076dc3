const { subtle } = crypto;
const utf8 = (text: string) => new TextEncoder().encode(text);

export const exportSalt = base64(utf8("0123456789abcdef"));

/** Returns a file of Bitwarden that is encrypted with a password, from which PBKDF2 derives the key. */
export async function withPbkdf2(content: string, password: string) {
  const key = await subtle.importKey("raw", utf8(password), "PBKDF2", false, ["deriveBits"]);
  const algorithm = { name: "PBKDF2", hash: "SHA-256", salt: utf8(exportSalt), iterations: 5_000 };
  const derived = new Uint8Array(await subtle.deriveBits(algorithm, key, 256));
  return encryptExport(derived, { kdfType: 0, kdfIterations: 5_000 }, content);
}

/** Returns a file of Bitwarden that is encrypted with what a function derived from a password: AES-CBC-256 with HMAC-SHA-256. */
export async function encryptExport(derived: Uint8Array<ArrayBuffer>, settings: object, content: string) {
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const prk = await subtle.importKey("raw", derived, hmac, false, ["sign"]);
  const expand = (info: string) => subtle.sign("HMAC", prk, utf8(`${info}\u0001`));
  const aes = await subtle.importKey("raw", await expand("enc"), "AES-CBC", false, ["encrypt"]);
  const mac = await subtle.importKey("raw", await expand("mac"), hmac, false, ["sign"]);
  const seal = async (text: string) => {
    const iv = crypto.getRandomValues(new Uint8Array(16));
    const ciphertext = new Uint8Array(await subtle.encrypt({ name: "AES-CBC", iv }, aes, utf8(text)));
    const tag = await subtle.sign("HMAC", mac, await new Blob([iv, ciphertext]).arrayBuffer());
    return `2.${base64(iv)}|${base64(ciphertext)}|${base64(new Uint8Array(tag))}`;
  };
  return {
    encrypted: true,
    passwordProtected: true,
    salt: exportSalt,
    ...settings,
    encKeyValidation_DO_NOT_EDIT: await seal(crypto.randomUUID()),
    data: await seal(content),
  };
}

function base64(bytes: Uint8Array): string {
  const parts: string[] = [];
  // In parts: a call has a largest number of arguments.
  for (let at = 0; at < bytes.length; at += 24_576) {
    parts.push(String.fromCharCode(...bytes.subarray(at, at + 24_576)));
  }
  return btoa(parts.join(""));
}
