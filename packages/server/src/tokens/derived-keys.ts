import { hkdfSync } from "node:crypto";
import type { KeyFile } from "./key-file.js";

/** Values derived from the HMAC key of a key file, which is never rotated. */
export interface DerivedKeys {
  /** Identifies the keys, and reveals nothing about them. */
  readonly keysId: string;
  /** A key for encrypting contents at rest: 32 bytes. */
  readonly contentKey: Uint8Array;
}

export function deriveKeys({ hmacKey }: Pick<KeyFile, "hmacKey">): DerivedKeys {
  const derive = (use: string, bytes: number) =>
    new Uint8Array(hkdfSync("sha256", Buffer.from(hmacKey, "base64url"), "", use, bytes));
  return { keysId: Buffer.from(derive("keys-id", 8)).toString("hex"), contentKey: derive("content-key", 32) };
}
