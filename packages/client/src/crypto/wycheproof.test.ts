import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { concat, encodeBase64url } from "./bytes.js";
import { OpenError } from "./open-error.js";
import { open } from "./vault-key.js";

const { subtle } = crypto;

interface Vector {
  readonly tcId: number;
  readonly comment: string;
  /** `acceptable`: a library may do either. */
  readonly result: "valid" | "invalid" | "acceptable";
}

interface Gcm extends Vector {
  readonly key: string;
  readonly iv: string;
  readonly aad: string;
  readonly msg: string;
  readonly ct: string;
  readonly tag: string;
}

function load<File>(name: string): File {
  return JSON.parse(readFileSync(new URL(`./fixtures/wycheproof/${name}.json`, import.meta.url), "utf8"));
}
const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, "hex"));
const hexOf = (buffer: ArrayBuffer) => Buffer.from(buffer).toString("hex");

/** Runs every vector, and returns the ids of those that did not end as they must. */
async function wrongOf<V extends Vector>(vectors: readonly V[], run: (vector: V) => Promise<boolean>) {
  expect(vectors.length).toBeGreaterThan(40);
  const wrong: string[] = [];
  for (const vector of vectors) {
    const valid = await run(vector).catch(() => false);
    if (vector.result !== "acceptable" && valid !== (vector.result === "valid")) {
      wrong.push(`${vector.tcId} ${vector.comment}`);
    }
  }
  return wrong;
}

describe("Wycheproof: what this package calls accepts every valid vector, and rejects every invalid one", () => {
  it("AES-256-GCM, as the keys and names of vaults are opened", async () => {
    const wrong = await wrongOf(
      load<Gcm[]>("aes-gcm").filter(({ iv }) => iv.length === 24),
      async ({ key, iv, aad, msg, ct, tag }) => {
        const imported = await subtle.importKey("raw", bytes(key), "AES-GCM", false, ["decrypt"]);
        const sealed = encodeBase64url(concat([bytes(iv), bytes(ct), bytes(tag)]));
        return hexOf((await open(imported, sealed, bytes(aad))).buffer) === msg;
      },
    );
    expect(wrong).toEqual([]);
  });

  it("a nonce of another length than 12 bytes is never opened as one of 12 bytes", async () => {
    const others = load<Gcm[]>("aes-gcm").filter(({ iv }) => iv.length !== 24);
    expect(others.length).toBeGreaterThan(10);
    for (const { key, iv, aad, ct, tag } of others) {
      const imported = await subtle.importKey("raw", bytes(key), "AES-GCM", false, ["decrypt"]);
      const sealed = encodeBase64url(concat([bytes(iv), bytes(ct), bytes(tag)]));
      await expect(open(imported, sealed, bytes(aad))).rejects.toThrow(OpenError);
    }
  });

  it("AES-256-KW, which wraps the key of an item for a vault", async () => {
    interface Kw extends Vector {
      readonly key: string;
      readonly msg: string;
      readonly ct: string;
    }
    const wrong = await wrongOf(load<Kw[]>("aes-kw"), async ({ key, msg, ct }) => {
      const wrapping = await subtle.importKey("raw", bytes(key), "AES-KW", false, ["unwrapKey"]);
      const hmac = { name: "HMAC", hash: "SHA-256" };
      // An HMAC key may have any length, and is exported as it was wrapped.
      const unwrapped = await subtle.unwrapKey("raw", bytes(ct), wrapping, "AES-KW", hmac, true, ["sign"]);
      return hexOf(await subtle.exportKey("raw", unwrapped)) === msg;
    });
    expect(wrong).toEqual([]);
  });

  it("HKDF-SHA-256, which derives the keys of a vault key", async () => {
    interface Hkdf extends Vector {
      readonly ikm: string;
      readonly salt: string;
      readonly info: string;
      readonly size: number;
      readonly okm: string;
    }
    const wrong = await wrongOf(load<Hkdf[]>("hkdf-sha256"), async ({ ikm, salt, info, size, okm }) => {
      const secret = await subtle.importKey("raw", bytes(ikm), "HKDF", false, ["deriveBits"]);
      const kdf = { name: "HKDF", hash: "SHA-256", salt: bytes(salt), info: bytes(info) };
      return hexOf(await subtle.deriveBits(kdf, secret, size * 8)) === okm;
    });
    expect(wrong).toEqual([]);
  });

  it("Ed25519, which verifies the writer of an item", async () => {
    interface Ed25519 extends Vector {
      readonly publicKey: string;
      readonly msg: string;
      readonly sig: string;
    }
    const wrong = await wrongOf(load<Ed25519[]>("ed25519"), async ({ publicKey, msg, sig }) => {
      const key = await subtle.importKey("raw", bytes(publicKey), "Ed25519", false, ["verify"]);
      return subtle.verify("Ed25519", key, bytes(sig), bytes(msg));
    });
    expect(wrong).toEqual([]);
  });

  it("RSA-OAEP with SHA-256, which unwraps the key of an item for a person", async () => {
    interface Oaep extends Vector {
      readonly privateKey: number;
      readonly msg: string;
      readonly ct: string;
      readonly label: string;
    }
    const { privateKeys, tests } = load<{ privateKeys: string[]; tests: Oaep[] }>("rsa-oaep-sha256");
    const rsa = { name: "RSA-OAEP", hash: "SHA-256" };
    const keys = await Promise.all(
      privateKeys.map((pkcs8) => subtle.importKey("pkcs8", bytes(pkcs8), rsa, false, ["decrypt"])),
    );
    const wrong = await wrongOf(tests, async ({ privateKey, msg, ct, label }) => {
      const key = keys[privateKey] ?? expect.unreachable("no such key");
      return hexOf(await subtle.decrypt({ name: "RSA-OAEP", label: bytes(label) }, key, bytes(ct))) === msg;
    });
    expect(wrong).toEqual([]);
  });
});
