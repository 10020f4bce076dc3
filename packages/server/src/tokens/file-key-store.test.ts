import { generateKeyPairSync } from "node:crypto";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createFileKeyStore } from "./file-key-store.js";
import { type KeyFile, KeyFileError } from "./key-file.js";

// The key of RFC 8037 appendix A.1.
const jwk = {
  kty: "OKP",
  crv: "Ed25519",
  d: "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
  x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
} as const;
const stored = { jwk, createdAt: 1, signsFrom: 2 };
const hmacKey = Buffer.alloc(32, 7).toString("base64url");
const file: KeyFile = { version: 1, hmacKey, keys: [stored] };

let directory: string;
let path: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "key-store-"));
  path = join(directory, "keys.json");
});
afterEach(() => rm(directory, { recursive: true }));

const modeOf = async () => (await stat(path)).mode & 0o777;
const put = (text: string) => writeFile(path, text, { mode: 0o600 });

describe("the key file", () => {
  it("loads what was saved, from a file that only its owner may use", async () => {
    const store = createFileKeyStore(path);
    await store.save(file, undefined);
    expect(await store.load()).toEqual(file);
    expect(await modeOf()).toBe(0o600);
  });

  it("cannot be written where the file system rejects it, without leaving a temporary file", async () => {
    const tooLong = join(directory, "k".repeat(256));
    await expect(createFileKeyStore(tooLong).save(file, undefined)).rejects.toMatchObject({
      message: `The key file ${tooLong} cannot be written: ENAMETOOLONG`,
      cause: { code: "ENAMETOOLONG" },
    });
    expect(await readdir(directory)).toEqual([]);
  });

  it("is neither created over another one nor replaced when it has changed", async () => {
    const store = createFileKeyStore(path);
    const next = { ...file, keys: [] };
    expect(await store.save(next, file)).toBe(false);
    expect(await store.save(file, undefined)).toBe(true);
    expect(await store.save(next, undefined)).toBe(false);
    expect(await store.save(next, next)).toBe(false);
    expect(await store.load()).toEqual(file);
    expect(await readdir(directory)).toEqual(["keys.json"]);
  });

  it("fails with its path and the command to run when its directory is missing", async () => {
    const missing = join(directory, "none", "keys.json");
    await expect(createFileKeyStore(missing).save(file, undefined)).rejects.toThrow(
      new KeyFileError(
        `The key file ${missing} cannot be written: its folder does not exist; run: mkdir -m 700 ${join(directory, "none")}`,
      ),
    );
  });

  it("counts as missing only if the file does not exist: any other error of the system is reported", async () => {
    const tooLong = join(directory, "k".repeat(256));
    await expect(createFileKeyStore(tooLong).load()).rejects.toMatchObject({
      message: `The key file ${tooLong} cannot be read: ENAMETOOLONG`,
      cause: { code: "ENAMETOOLONG" },
    });
  });

  it("the first load removes the temporary files of a killed save, and no other file", async () => {
    const leftovers = ["keys.json.0123456789abcdef.tmp", "keys.json.fedcba9876543210.tmp"];
    const others = ["keys.json", "keys.json.bak", "keys.json.tmp", "other.json.0123456789abcdef.tmp"];
    const store = createFileKeyStore(path);
    await store.save(file, undefined);
    for (const name of [...leftovers, ...others.slice(1)])
      await writeFile(join(directory, name), "{}", { mode: 0o600 });
    expect(await store.load()).toEqual(file);
    expect((await readdir(directory)).sort()).toEqual(others.sort());
  });

  it("a later load of the same store leaves temporary files alone: only the first one cleans up", async () => {
    const store = createFileKeyStore(path);
    await store.load();
    const temporary = "keys.json.0123456789abcdef.tmp";
    await writeFile(join(directory, temporary), "{}", { mode: 0o600 });
    expect(await store.load()).toBeUndefined();
    expect(await readdir(directory)).toEqual([temporary]);
  });

  it("is neither read nor written in a folder where others could replace it", async () => {
    const store = createFileKeyStore(path);
    await store.save(file, undefined);
    await chmod(directory, 0o770);
    const why = `others may replace files in its folder; run: chmod go-w ${directory}`;
    await expect(createFileKeyStore(path).load()).rejects.toThrow(
      new KeyFileError(`The key file ${path} cannot be read: ${why}`),
    );
    await expect(store.save(file, undefined)).rejects.toThrow(`The key file ${path} cannot be written: ${why}`);
  });

  it("is rejected when it is a folder or a device, without a command that changes its mode", async () => {
    await mkdir(path, { mode: 0o755 });
    await expect(createFileKeyStore(path).load()).rejects.toThrow(
      new KeyFileError(`The key file ${path} cannot be read: it is not a file`),
    );
    await expect(createFileKeyStore("/dev/null").load()).rejects.toThrow("/dev/null cannot be read: it is not a file");
  });

  it("is rejected when others may use it, and its mode stays", async () => {
    await createFileKeyStore(path).save(file, undefined);
    await chmod(path, 0o640);
    await expect(createFileKeyStore(path).load()).rejects.toThrow(
      new KeyFileError(
        `The key file ${path} cannot be read: users other than its owner may use it; run: chmod 600 ${path}`,
      ),
    );
    expect(await modeOf()).toBe(0o640);
  });

  it.each([
    ["not JSON", `{"hmacKey": "${hmacKey}`, "not JSON"],
    ["empty", "", "not JSON"],
    ["an array", "[]", "not a JSON object"],
    ["null", "null", "not a JSON object"],
    ["another version", JSON.stringify({ ...file, version: 2 }), "version must be 1"],
    ["no HMAC key", JSON.stringify({ ...file, hmacKey: undefined }), "hmacKey must be 32 bytes in base64url"],
    ["a short HMAC key", JSON.stringify({ ...file, hmacKey: "c2hvcnQ" }), "hmacKey must be 32 bytes in base64url"],
    ["no keys", JSON.stringify({ ...file, keys: undefined }), "keys must be an array"],
    ["a key that is not an object", JSON.stringify({ ...file, keys: [stored, 1] }), "keys[1] must be an object"],
    [
      "a key without a time",
      JSON.stringify({ ...file, keys: [{ jwk, createdAt: 1 }] }),
      "keys[0].signsFrom must be milliseconds since the epoch",
    ],
    [
      "a key with a time in words",
      JSON.stringify({ ...file, keys: [{ ...stored, createdAt: "2026-01-01" }] }),
      "keys[0].createdAt must be milliseconds since the epoch",
    ],
    ...Object.entries({
      "no private key": null,
      "a public key": { ...jwk, d: undefined },
      "an X25519 key": generateKeyPairSync("x25519").privateKey.export({ format: "jwk" }),
      "a key with another key's public half": { ...jwk, x: "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k" },
    }).map(([title, other]): [string, string, string] => [
      title,
      JSON.stringify({ ...file, keys: [{ ...stored, jwk: other }] }),
      "keys[0].jwk must be a private Ed25519 key",
    ]),
  ])("is rejected with the name of the invalid member, and never its value: %s", async (_, text, why) => {
    await put(text);
    const error: unknown = await createFileKeyStore(path)
      .load()
      .catch((reason: unknown) => reason);
    expect(error).toEqual(new KeyFileError(`The key file ${path} cannot be read: ${why}`));
    expect(error).not.toHaveProperty("cause");
    expect(await readFile(path, "utf8")).toBe(text);
  });
});
