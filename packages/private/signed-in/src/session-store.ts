import { dirname } from "node:path";
import type { SessionStore, StoredSession } from "@platform-rpc/client/session";
import { createFileSessionStore } from "@platform-rpc/client/session-file";
import { ProgramError } from "./errors.js";
import { readTokenClaims } from "./token-claims.js";
import { removeUnlocked } from "./unlocked-file.js";

/**
 * Creates the store of a session in a file. It rejects with a ProgramError if the file cannot be read or written, or if a renewal has
 * changed whose session it is: then the session is removed, with the keys of vaults in its folder.
 */
export function openSessionStore(path: string): SessionStore {
  const file = createFileSessionStore(path);
  // By the key pair: a renewal keeps that of its login, and another login has another one.
  const people = new WeakMap<object, string>();
  return {
    ...file,
    async load() {
      const session = await file.load().catch((error: unknown) => fail("The session cannot be read", error));
      if (session !== undefined) people.set(session.keyPair, personIn(session));
      return session;
    },
    async save(session) {
      const before = people.get(session.keyPair);
      if (before !== undefined && before !== personIn(session)) {
        await file.remove();
        await removeUnlocked(dirname(path));
        throw new ProgramError(
          `Your login has ended: ${session.issuer} has renewed it for another account than the one that you logged in to. ` +
            "It is removed from this computer, with the keys of your vaults. Ask the operator of the platform why. Then log in again.",
          "not signed in",
        );
      }
      await file.save(session).catch((error: unknown) => fail(`The session cannot be saved in ${path}`, error));
    },
  };
}

/** Returns whose session it is, as its token says. The keys that a program trusts are stored under this, so it must not change. */
function personIn({ accessToken }: StoredSession): string {
  const claims = readTokenClaims(accessToken);
  return JSON.stringify([claims?.tenant_id, claims?.sub]);
}

/** Throws an error with what the program did, for the person who uses it. */
export function fail(what: string, error: unknown): never {
  throw error instanceof Error ? new ProgramError(`${what}: ${error.message}`, "failed", { cause: error }) : error;
}
