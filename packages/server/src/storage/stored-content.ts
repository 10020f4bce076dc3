import { contentJson, type EncryptedPayload, type ItemContent, JsonContent } from "../domain/model/item.js";
import type { ContentDescription } from "./engine/working-set.js";

/** How every stored content begins, except those that the first development versions have written. */
const spelling = '{"kind":';

/**
 * Returns a content from its stored JSON, which is not parsed. Without JSON, returns what shredding has left of it.
 *
 * @param describe reads the part of the content that is not erased
 */
export function readContent(json: string | undefined, describe: () => ContentDescription): ItemContent {
  if (json?.startsWith(spelling)) return new JsonContent(json);
  const { kind, alg, payloadVersion: version } = describe();
  const { titleHash, wrappedKeys, ...secret } = json === undefined ? noSecret : secretIn(json);
  const content = { kind, titleHash, encryptedPayload: { alg, ...secret, version }, wrappedKeys };
  return new JsonContent(contentJson(content));
}

/** The part of a content that shredding erases. */
type SecretContent = Pick<ItemContent, "titleHash" | "wrappedKeys"> &
  Pick<EncryptedPayload, "nonce" | "aad" | "ciphertext">;

const noSecret: SecretContent = { titleHash: "", nonce: "", aad: "", ciphertext: "", wrappedKeys: [] };

/** Reads the JSON of a development version, which contains only what shredding erases. */
function secretIn(json: string): SecretContent {
  return JSON.parse(json);
}
