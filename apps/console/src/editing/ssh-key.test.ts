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

it("a comment stays on the line of its key", async () => {
  const { publicKey } = await createSshKey(" one\r\nssh-rsa two\0 ");
  expect(publicKey).toMatch(/^ssh-ed25519 [\w+/]{68} one ssh-rsa two$/);
});

it("each key is another one", async () => {
  const [one, two] = [await createSshKey(""), await createSshKey("")];
  expect(one.fingerprint).not.toBe(two.fingerprint);
  expect(one.fingerprint).toMatch(/^SHA256:[\w+/]{43}$/);
});
