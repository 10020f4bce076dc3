import { statSync } from "node:fs";
import { join } from "node:path";
import type { StoredSession } from "@platform-rpc/client/session";
import * as z from "zod";
import { readSecretFile, removeSecretFile, writeSecretFile } from "./private-files.js";
import { readTokenClaims } from "./token-claims.js";

const base64url = z.string().regex(/^[\w-]+$/);

const writer = z.object({ writerId: z.string(), publicKey: base64url });

/** An Ed25519 key as a JWK (RFC 8037). */
export const signingKey = z.object({ kty: z.literal("OKP"), crv: z.literal("Ed25519"), d: base64url, x: base64url });

export type SigningKey = z.infer<typeof signingKey>;

const unlockedFile = z.object({
  issuer: z.string(),
  tenantId: z.string(),
  accountId: z.string(),
  unlockId: z.string(),
  expiresAt: z.iso.datetime(),
  /** Wraps the keys of the vaults: 32 bytes. */
  wrappingKey: base64url,
  vaults: z.array(z.object({ vaultId: z.string(), keyId: z.string(), epoch: z.number(), wrappedKey: base64url })),
  /** Whose items are verified: the person, and the programs that the person has certified. Keys are base64url. */
  writers: z.array(writer),
  /** The id with which this program signs, and the Ed25519 key as a JWK. */
  writerId: z.string(),
  signingKey,
});

/** What of a session tells whose keys it may use. */
export type UnlockingSession = Pick<StoredSession, "issuer" | "accessToken">;

/** What `platform unlock` has stored. */
export type UnlockedFile = z.infer<typeof unlockedFile>;

function pathIn(folder: string): string {
  return join(folder, "unlocked.json");
}

/** Returns a text that changes whenever the keys on this machine do. Undefined: there are none. */
export async function unlockedVersion(folder: string): Promise<string | undefined> {
  try {
    // The broker calls this for each request. Without a thread, it takes a sixth of the CPU time.
    const stats = statSync(pathIn(folder), { throwIfNoEntry: false });
    return stats && `${stats.ino} ${stats.mtimeMs}`;
  } catch {
    return undefined;
  }
}

export async function writeUnlocked(folder: string, unlocked: UnlockedFile): Promise<void> {
  await writeSecretFile(pathIn(folder), unlocked);
}

/** Removes the keys of the vaults from this machine. Returns whether there were any. */
export async function removeUnlocked(folder: string): Promise<boolean> {
  const path = pathIn(folder);
  // A file that other users can use is removed, too.
  const found = await readSecretFile(path).catch(() => null);
  await removeSecretFile(path);
  return found !== undefined;
}

/** Returns the keys of the person of a session; undefined for another person. Removes keys that have expired or are damaged. */
export async function readUnlockedFile(
  folder: string,
  session: UnlockingSession | undefined,
): Promise<UnlockedFile | undefined> {
  const stored = await readSecretFile(pathIn(folder));
  if (stored === undefined) return undefined;
  const { data } = unlockedFile.safeParse(stored);
  if (data === undefined || isExpired(data)) {
    await removeUnlocked(folder);
    return undefined;
  }
  return isOfSession(data, session) ? data : undefined;
}

/** Removes the keys if their time is over. */
export async function removeExpired(folder: string): Promise<void> {
  const stored = await readSecretFile(pathIn(folder)).catch(() => undefined);
  const { data } = unlockedFile.safeParse(stored);
  if (data !== undefined && isExpired(data)) await removeUnlocked(folder);
}

function isExpired({ expiresAt }: UnlockedFile): boolean {
  return Date.parse(expiresAt) <= Date.now();
}

function isOfSession({ issuer, tenantId, accountId }: UnlockedFile, session: UnlockingSession | undefined): boolean {
  const claims = session && readTokenClaims(session.accessToken);
  return session?.issuer === issuer && claims?.tenant_id === tenantId && claims.sub === accountId;
}
