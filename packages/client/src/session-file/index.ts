import { randomUUID } from "node:crypto";
import type { Stats } from "node:fs";
import { mkdir, open, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { subtle } from "../crypto/web-crypto.js";
import type { SessionStore, StoredSession } from "../session/session-store.js";

export type { SessionStore, StoredSession } from "../session/session-store.js";

const algorithm = { name: "ECDSA", namedCurve: "P-256" };
const fields = ["issuer", "resource", "clientId", "refreshToken", "accessToken", "expiresAt"] as const;

/** A session as text: its key is a private JWK (RFC 7517). */
interface SessionText extends Record<(typeof fields)[number], string> {
  readonly scopes: readonly string[];
  readonly key: {
    readonly kty: "EC";
    readonly crv: "P-256";
    readonly x: string;
    readonly y: string;
    readonly d: string;
  };
}

/**
 * Creates a store that keeps a session in a file that only its owner can read (0600, in a folder of 0700), for programs on Node.
 * `save` replaces the file in one step, and resolves when it is on disk. `load` rejects when the file cannot be read, contains
 * something else (with a `TypeError`), can be used by other users, or belongs to one. Windows has no such modes.
 *
 * Anyone who has the file can act for the person until the session ends, so keep it out of backups and repositories.
 *
 * @example
 * ```ts
 * import { createFileSessionStore } from "@platform-rpc/client/session-file";
 *
 * const store = createFileSessionStore("/nowhere/session.json");
 * console.log(await store.load());
 * // undefined
 * ```
 *
 * @throws TypeError if the path is not a string.
 */
export function createFileSessionStore(path: string): SessionStore {
  if (typeof path !== "string" || path === "")
    throw new TypeError("createFileSessionStore: path must be the path of a file, as a string.");
  return {
    needsExportableKeys: true,
    async load() {
      const file = await open(path).catch((error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT") return undefined;
        throw error;
      });
      if (file === undefined) return undefined;
      try {
        // Of the open file: the path may name another one a moment later.
        refuseShared(path, await file.stat());
        return await read(path, await file.readFile("utf8"));
      } finally {
        await file.close();
      }
    },
    async save({ keyPair, ...session }: StoredSession) {
      const { kty, crv, x, y, d } = await subtle().exportKey("jwk", keyPair.privateKey);
      const text = JSON.stringify({ ...session, key: { kty, crv, x, y, d } }, undefined, 2);
      await createFolder(dirname(path));
      await replaceFile(path, `${text}\n`);
    },
    remove: () => rm(path, { force: true }),
  };
}

async function read(path: string, text: string): Promise<StoredSession> {
  const webCrypto = subtle();
  try {
    const { key, ...session }: SessionText = JSON.parse(text);
    const { d: _, ...verifyingKey } = key;
    const [privateKey, publicKey] = await Promise.all([
      webCrypto.importKey("jwk", key, algorithm, true, ["sign"]),
      webCrypto.importKey("jwk", verifyingKey, algorithm, true, ["verify"]),
    ]);
    const complete = fields.every((field) => typeof session[field] === "string") && Array.isArray(session.scopes);
    if (complete) return { ...session, keyPair: { privateKey, publicKey } };
  } catch {
    // Reported below, without the content.
  }
  throw new TypeError(`${path} is not a session file. Delete it, then log in again.`);
}

/** Creates a folder that only its owner may use (0700), and those above it. Node's recursive `mkdir` never returns in /proc. */
async function createFolder(path: string): Promise<void> {
  if (await exists(path)) return;
  await createFolder(dirname(path));
  await mkdir(path, { mode: 0o700 }).catch(async (error: unknown) => {
    // Another process may have created it meanwhile.
    if (!(await exists(path))) throw error;
  });
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** Replaces a file that only its owner may use (0600), in one step. Resolves when it is on disk. */
async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    // "wx" never writes to a file that somebody else has created.
    await writeFile(temporary, text, { mode: 0o600, flag: "wx", flush: true });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  // Makes the new name durable. Windows cannot open folders.
  const folder = await open(dirname(path)).catch(() => undefined);
  await folder?.sync();
  await folder?.close();
}

/** Checks that only the user of this process can use a file of secrets. @throws Error with the command that repairs it. */
function refuseShared(path: string, { uid, mode }: Pick<Stats, "uid" | "mode">): void {
  // Windows has neither user ids nor modes.
  const user = process.getuid?.();
  if (user === undefined) return;
  const quoted = /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
  if (uid !== user) {
    throw new Error(`${path} belongs to another user (uid ${uid}). Log in again after: rm ${quoted}`);
  }
  if ((mode & 0o077) !== 0) {
    const shown = (mode & 0o777).toString(8).padStart(4, "0");
    throw new Error(
      `${path} can be used by other users (mode ${shown}), who may have copied it. Log in again after: chmod 600 ${quoted}`,
    );
  }
}
