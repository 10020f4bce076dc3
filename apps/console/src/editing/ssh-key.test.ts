import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createSshKey } from "./ssh-key.js";

const { error } = spawnSync("ssh-keygen", ["-?"]);
const missing = error !== undefined;

/** Runs ssh-keygen on a key file with the permissions that it requires. */
function keygen(privateKey: string, ...options: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), "ssh-key-"));
  try {
    const path = join(folder, "id_ed25519");
    writeFileSync(path, privateKey, { mode: 0o600 });
    // In another locale, it prints escapes for letters like ü.
    const env = { ...process.env, LC_ALL: "C.UTF-8" };
    return execFileSync("ssh-keygen", [...options, "-f", path], { encoding: "utf8", timeout: 10_000, env });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

it.skipIf(missing).each(["a", "ada@laptop", "four", "Ada's laptop, Zürich", "x".repeat(300)])(
  `ssh-keygen reads the key, its public key, comment and fingerprint${missing ? " (skipped: ssh-keygen is not installed)" : ""}: %s`,
  async (comment) => {
    const { publicKey, privateKey, fingerprint } = await createSshKey(comment);
    expect(keygen(privateKey, "-y", "-P", "")).toBe(`${publicKey}\n`);
    expect(keygen(privateKey, "-l")).toBe(`256 ${fingerprint} ${comment} (ED25519)\n`);
  },
);

it("the signature of the private key verifies with the public key", async () => {
  const { publicKey, privateKey } = await createSshKey("test");
  const bytes = Buffer.from(privateKey.split("\n").slice(1, -2).join(""), "base64");
  const point = Buffer.from(publicKey.split(" ")[1] ?? "", "base64").subarray(-32);
  const at = bytes.indexOf(Buffer.concat([Buffer.of(0, 0, 0, 64)])) + 4;
  const seed = bytes.subarray(at, at + 32);
  expect(bytes.subarray(at + 32, at + 64)).toEqual(point);
  const prefix = Buffer.from("302e020100300506032b657004220420", "hex");
  const signer = await crypto.subtle.importKey("pkcs8", Buffer.concat([prefix, seed]), "Ed25519", false, ["sign"]);
  const verifier = await crypto.subtle.importKey("raw", point, "Ed25519", false, ["verify"]);
  const signature = await crypto.subtle.sign("Ed25519", signer, bytes);
  expect(await crypto.subtle.verify("Ed25519", verifier, signature, bytes)).toBe(true);
});

it("a comment stays on the line of its key", async () => {
  const { publicKey } = await createSshKey(" one\r\nssh-rsa two\0 ");
  expect(publicKey).toMatch(/^ssh-ed25519 [\w+/]{68} one ssh-rsa two$/);
});

it("each key is another one", async () => {
  const [one, two] = [await createSshKey(""), await createSshKey("")];
  expect(one.fingerprint).not.toBe(two.fingerprint);
  expect(one.fingerprint).toMatch(/^SHA256:[\w+/]{43}$/);
});
