import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { ProgramError, prepareFolder } from "@platform-rpc/signed-in";

/** Returns the path of the file with the secret that clients send over HTTP. */
export function secretFile(folder: string): string {
  return join(folder, "mcp-http-secret");
}

/** Returns the secret of the folder. Creates it on first use, in a file that only its owner can read. */
export async function readSecret(folder: string): Promise<string> {
  const path = secretFile(folder);
  await prepareFolder(folder);
  // "wx" fails if there is a file: then it has the secret.
  const created = await open(path, "wx", 0o600).catch(() => undefined);
  if (created !== undefined) {
    await created.writeFile(`${randomBytes(32).toString("base64url")}\n`);
    await created.close();
  }
  const secret = (await readFile(path, "utf8")).trim();
  if (secret.length < 32) throw new ProgramError(`${path} contains no secret. Delete it, then start again.`);
  return secret;
}

export function hasSecret(header: string | null, secret: string): boolean {
  const [, given = ""] = /^Bearer +(\S+)$/i.exec(header ?? "") ?? [];
  return timingSafeEqual(digest(given), digest(secret));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
