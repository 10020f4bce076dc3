import { createHash } from "node:crypto";
import { join } from "node:path";
import { ProgramError, readSecretFile, writeSecretFile } from "@platform-rpc/signed-in";
import * as z from "zod";
import { folderOf } from "../session/connect.js";
import type { Terminal } from "../terminal/terminal.js";

const knownPeople = z.record(z.string(), z.string());

interface Person {
  readonly issuer: string;
  readonly tenantId: string;
  readonly accountId: string;
  /** Their Ed25519 key, base64url. */
  readonly personKey: string;
}

/** Returns the fingerprint of a key, in the form of ssh. The page shows it, too. */
export function fingerprintOf(personKey: string): string {
  const digest = createHash("sha256").update(Buffer.from(personKey, "base64url")).digest("base64");
  return `SHA256:${digest.replace(/=+$/, "")}`;
}

/**
 * Checks that a person has the key that they had at the first unlock. Returns whether this is the first: then nothing was known of them.
 *
 * @throws ProgramError if the key is another one
 */
export async function checkPerson(terminal: Terminal, person: Person): Promise<boolean> {
  const path = pathIn(terminal);
  const known = (await readKnown(path))[nameOf(person)];
  if (known === undefined) return true;
  if (known === person.personKey) return false;
  throw new ProgramError(
    `The signing key of your account has changed: it was ${fingerprintOf(known)}, and is ${fingerprintOf(person.personKey)}. ` +
      "It never changes by itself: somebody may be deceiving this program, and nothing was unlocked. " +
      `Ask the operator of ${person.issuer}. If your account was created anew, remove ${path}, and unlock again.`,
  );
}

/** Remembers the key of a person, like the file known_hosts of ssh. */
export async function rememberPerson(terminal: Terminal, person: Person): Promise<void> {
  const path = pathIn(terminal);
  await writeSecretFile(path, { ...(await readKnown(path)), [nameOf(person)]: person.personKey });
}

async function readKnown(path: string): Promise<z.infer<typeof knownPeople>> {
  const stored = await readSecretFile(path);
  if (stored === undefined) return {};
  const { data } = knownPeople.safeParse(stored);
  if (data === undefined) throw new ProgramError(`${path} is damaged. Restore it, or remove it to start anew.`);
  return data;
}

function nameOf({ issuer, tenantId, accountId }: Person): string {
  return `${issuer} ${tenantId} ${accountId}`;
}

function pathIn(terminal: Terminal): string {
  return join(folderOf(terminal), "known-people.json");
}
