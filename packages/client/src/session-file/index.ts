import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { createPrivateFolder, readCheckedFile, replacePrivateFile, sharingProblem } from "@platform-rpc/files";
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
      const text = await readCheckedFile(path, (stats) => {
        const problem = sharingProblem(stats, path);
        if (problem !== undefined) throw new Error(`${path} ${problem.how}. Log in again after: ${problem.command}`);
      });
      return text === undefined ? undefined : await read(path, text);
    },
    async save({ keyPair, ...session }: StoredSession) {
      const { kty, crv, x, y, d } = await subtle().exportKey("jwk", keyPair.privateKey);
      const text = JSON.stringify({ ...session, key: { kty, crv, x, y, d } }, undefined, 2);
      await createPrivateFolder(dirname(path));
      await replacePrivateFile(path, `${text}\n`);
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
