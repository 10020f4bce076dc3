import { readFile } from "node:fs/promises";
import { serializeUserKeys } from "@platform-rpc/accounts/keys/user-keys";
import { replacePrivateFile } from "@platform-rpc/files";
import * as z from "zod";

const { subtle } = crypto;

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

/** Loads the demo user's keys, as `accounts/keys` wraps them. Creates a file if it is missing or invalid. The server never sees them. */
export async function loadDemoKeys(path: string): Promise<Uint8Array<ArrayBuffer>> {
  return serializeUserKeys((await readKeyFile(path)) ?? (await makeKeyFile(path)));
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
