import { readFile } from "node:fs/promises";
import { serializeUserKeys } from "@platform-rpc/accounts/keys/user-keys";
import { sealItem, titleHash } from "@platform-rpc/client/crypto";
import { type ItemContent as PlainContent, writeContent } from "@platform-rpc/items/item-content";
import type { ItemContent, ItemRef } from "@platform-rpc/server/host";
import * as z from "zod";
import { replacePrivateFile } from "../process/private-files.js";
import { demoUser } from "./demo-files.js";

const { subtle } = crypto;

/** The keys that the demo user's software needs to write items. The server never sees them. */
export interface DemoKeys {
  /** Wraps item keys: RSA-OAEP-256. */
  readonly wrappingKey: CryptoKey;
  /** Hashes titles: HMAC-SHA-256. */
  readonly titleKey: CryptoKey;
  /** Both with their private halves, as `accounts/keys` wraps them. */
  readonly serialized: Uint8Array<ArrayBuffer>;
}

const text = z.string();
const keyFile = z.object({
  encryptionKey: z.object({
    kty: z.literal("RSA"),
    alg: z.literal("RSA-OAEP-256"),
    n: text,
    e: text,
    d: text,
    p: text,
    q: text,
    dp: text,
    dq: text,
    qi: text,
  }),
  titleKey: z.object({ kty: z.literal("oct"), alg: z.literal("HS256"), k: text }),
});

const rsa = { name: "RSA-OAEP", hash: "SHA-256" };
const hmac: HmacKeyGenParams = { name: "HMAC", hash: "SHA-256" };

/** Loads the keys from the demo user's key file. Creates a new file if it is missing or invalid. */
export async function loadDemoKeys(path: string): Promise<DemoKeys> {
  const { encryptionKey, titleKey } = (await readKeyFile(path)) ?? (await makeKeyFile(path));
  const { kty, alg, n, e } = encryptionKey;
  return {
    wrappingKey: await subtle.importKey("jwk", { kty, alg, n, e }, rsa, false, ["wrapKey"]),
    titleKey: await subtle.importKey("jwk", titleKey, hmac, false, ["sign"]),
    serialized: serializeUserKeys({ encryptionKey, titleKey }),
  };
}

async function readKeyFile(path: string): Promise<z.infer<typeof keyFile> | undefined> {
  try {
    return keyFile.parse(JSON.parse(await readFile(path, "utf8")));
  } catch {
    // A new file affects only the demo: its items that were written with the old keys can no longer be decrypted.
    return undefined;
  }
}

async function makeKeyFile(path: string): Promise<z.infer<typeof keyFile>> {
  const size = { modulusLength: 3072, publicExponent: new Uint8Array([1, 0, 1]) };
  const pair = await subtle.generateKey({ ...rsa, ...size }, true, ["wrapKey", "unwrapKey"]);
  const titleKey = await subtle.generateKey(hmac, true, ["sign"]);
  const made = keyFile.parse({
    encryptionKey: await subtle.exportKey("jwk", pair.privateKey),
    titleKey: await subtle.exportKey("jwk", titleKey),
  });
  await replacePrivateFile(path, `${JSON.stringify(made, undefined, 2)}\n`);
  return made;
}

/** Encrypts a new item for the demo user, as the software of a user does. */
export async function sealForDemoUser(
  keys: DemoKeys,
  ref: ItemRef,
  kind: string,
  content: PlainContent,
): Promise<ItemContent> {
  return sealItem({
    place: { ...ref, version: 1 },
    kind,
    titleHash: await titleHash(keys.titleKey, content.title),
    plaintext: new TextEncoder().encode(writeContent(content)),
    recipients: [{ recipientId: demoUser, publicKey: keys.wrappingKey }],
  });
}
