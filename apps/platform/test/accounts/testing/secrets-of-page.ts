import { parseRecoveryCode } from "@platform-rpc/accounts/keys/recovery-code";
import { deriveRecoveryKeys } from "@platform-rpc/accounts/keys/recovery-keys";
import type { Page } from "playwright-core";

declare global {
  /** What the page computed and no server may see, as hexadecimal digits and as text. */
  var recordedSecrets: { readonly hex: string[]; readonly text: string[] };
}

/** Records the keys, and the outputs of the PRF extension, that pages compute from now on. */
export async function recordSecrets(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const hexOf = (bytes: ArrayBuffer) =>
      Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
    globalThis.recordedSecrets = { hex: [], text: [] };
    const { subtle } = crypto;
    const exportKey = subtle.exportKey.bind(subtle);
    Object.defineProperty(subtle, "exportKey", {
      async value(format: "jwk", key: CryptoKey) {
        const exported: JsonWebKey | ArrayBuffer = await exportKey(format, key);
        if (exported instanceof ArrayBuffer) {
          recordedSecrets.hex.push(hexOf(exported));
          return exported;
        }
        const { d, p, q, k } = exported;
        recordedSecrets.text.push(...[d, p, q, k].filter((member) => member !== undefined));
        return exported;
      },
    });
    const importKey = subtle.importKey.bind(subtle);
    Object.defineProperty(subtle, "importKey", {
      value(format: "raw", bytes: Uint8Array<ArrayBuffer>, ...others: [AlgorithmIdentifier, boolean, KeyUsage[]]) {
        if (format === "raw") recordedSecrets.hex.push(hexOf(Uint8Array.from(bytes).buffer));
        return importKey(format, bytes, ...others);
      },
    });
    const { getClientExtensionResults } = PublicKeyCredential.prototype;
    PublicKeyCredential.prototype.getClientExtensionResults = function () {
      const results = getClientExtensionResults.call(this);
      const first = results.prf?.results?.first;
      if (first instanceof ArrayBuffer) recordedSecrets.hex.push(hexOf(first));
      return results;
    };
  });
}

/** Returns the secrets of the page: the bytes that must be nowhere on the server. */
export async function secretsOf(page: Page): Promise<Map<string, Buffer>> {
  const { hex, text } = await page.evaluate(() => recordedSecrets);
  const secrets = new Map<string, Buffer>();
  for (const [index, member] of text.entries()) {
    // A part of a key is enough to recognize it, and is also found if the rest was overwritten.
    secrets.set(`private key member ${index} as text`, Buffer.from(member.slice(0, 32)));
    secrets.set(`private key member ${index}`, Buffer.from(member, "base64url").subarray(0, 24));
  }
  for (const [index, output] of hex.entries()) {
    secrets.set(`key or PRF output ${index}`, Buffer.from(output, "hex"));
    secrets.set(`key or PRF output ${index} as text`, Buffer.from(Buffer.from(output, "hex").toString("base64url")));
  }
  return secrets;
}

/** Returns a recovery code and what is derived from it: the bytes that must be nowhere on the server. */
export async function secretsOfCode(printedCode: string): Promise<Map<string, Buffer>> {
  const parsed = parseRecoveryCode(printedCode);
  if (!parsed.ok) throw new Error(parsed.message);
  const { wrappingSecret } = await deriveRecoveryKeys(parsed.code);
  const secrets = new Map<string, Buffer>();
  secrets.set("recovery code", Buffer.from(parsed.code));
  secrets.set("recovery code as printed", Buffer.from(printedCode));
  secrets.set("recovery code without hyphens", Buffer.from(printedCode.replaceAll("-", "")));
  secrets.set("wrapping secret of the recovery code", Buffer.from(wrappingSecret));
  return secrets;
}
