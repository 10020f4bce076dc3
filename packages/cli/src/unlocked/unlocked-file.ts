import { join } from "node:path";
import { readSecretFile, removeSecretFile, writeSecretFile } from "@platform-rpc/signed-in";
import * as z from "zod";
import { folderOf, loadSession, readTokenClaims } from "../session/connect.js";
import type { Terminal } from "../terminal/terminal.js";

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

/** What `platform unlock` has stored. */
export type UnlockedFile = z.infer<typeof unlockedFile>;

function pathIn(terminal: Terminal): string {
  return join(folderOf(terminal), "unlocked.json");
}

export async function writeUnlocked(terminal: Terminal, unlocked: UnlockedFile): Promise<void> {
  await writeSecretFile(pathIn(terminal), unlocked);
}

/** Removes the keys of the vaults from this machine. Returns whether there were any. */
export async function removeUnlocked(terminal: Terminal): Promise<boolean> {
  const path = pathIn(terminal);
  // A file that other users can use is removed, too.
  const found = await readSecretFile(path).catch(() => null);
  await removeSecretFile(path);
  return found !== undefined;
}

/** Returns the stored keys. Removes them if they have expired, are damaged, or belong to another session. */
export async function readUnlockedFile(terminal: Terminal): Promise<UnlockedFile | undefined> {
  const stored = await readSecretFile(pathIn(terminal));
  if (stored === undefined) return undefined;
  const { success, data } = unlockedFile.safeParse(stored);
  const isCurrent = success && Date.parse(data.expiresAt) > Date.now() && (await isOfSession(terminal, data));
  if (isCurrent) return data;
  await removeUnlocked(terminal);
  return undefined;
}

/** Removes the keys if their time is over. */
export async function removeExpired(terminal: Terminal): Promise<void> {
  const stored = await readSecretFile(pathIn(terminal)).catch(() => undefined);
  const { data } = unlockedFile.safeParse(stored);
  if (data !== undefined && Date.parse(data.expiresAt) <= Date.now()) await removeUnlocked(terminal);
}

async function isOfSession(terminal: Terminal, { issuer, tenantId, accountId }: UnlockedFile): Promise<boolean> {
  const session = await loadSession(terminal);
  const claims = session && readTokenClaims(session.accessToken);
  return session?.issuer === issuer && claims?.tenant_id === tenantId && claims.sub === accountId;
}
