import type { ContentField } from "@platform-rpc/items/item-content";
import { codeAt, parseOneTimeSecret } from "@platform-rpc/items/one-time-code";
import { ProgramError } from "@platform-rpc/signed-in";

/** Returns the value of a field that a program can use: the bytes of a file, the current code of a one-time secret, otherwise the text. */
export async function usableValue(field: ContentField, now = Date.now()): Promise<Uint8Array> {
  if (field.type === "file") return Buffer.from(field.value, "base64url");
  if (field.type !== "totp") return Buffer.from(field.value);
  const secret = parseOneTimeSecret(field.value);
  if (secret === undefined) throw new ProgramError(`The field "${field.name}" has no valid one-time secret.`);
  return Buffer.from(await codeAt(secret, now));
}

/** Returns whether the value of a field is masked on a screen. */
export function isSecret({ type }: ContentField): boolean {
  return type === "secret";
}
