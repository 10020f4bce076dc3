import { createHash } from "node:crypto";
import { join } from "node:path";
import { canBeUnlockCode, isUnlockCode, personCode, type UnlockRequest } from "@platform-rpc/items/unlock/unlock-code";
import { ProgramError, readSecretFile, writeSecretFile } from "@platform-rpc/signed-in";
import * as z from "zod";
import { folderOf } from "../session/connect.js";
import { asJson, printLine, type Terminal } from "../terminal/terminal.js";

const confirmedPerson = z.object({
  /** Their Ed25519 key, base64url. */
  personKey: z.string(),
  /** The signing keys of the programs whose certificates they have removed. */
  removed: z.array(z.string()),
});

type ConfirmedPerson = z.infer<typeof confirmedPerson>;

const confirmedPeople = z.record(z.string(), confirmedPerson);

/** Whose key it is. The account cannot change while a login lasts: its session would end. */
interface Place extends Pick<UnlockRequest, "tenantId" | "accountId"> {
  readonly issuer: string;
}

/** Returns what this computer knows of a person; undefined before a key is confirmed. @throws ProgramError if another key was. */
export async function findPerson(
  terminal: Terminal,
  place: Place,
  personKey: string,
): Promise<ConfirmedPerson | undefined> {
  const path = pathIn(terminal);
  const known = (await readConfirmed(path))[nameOf(place)];
  if (known === undefined || known.personKey === personKey) return known;
  throw new ProgramError(
    `The signing key of your account has changed: it was ${fingerprintOf(known.personKey)}, and is ${fingerprintOf(personKey)}. ` +
      "It never changes by itself: somebody may be deceiving this program, and nothing was unlocked. " +
      `Ask the operator of ${place.issuer}. If your account was created anew, remove ${path}, and unlock again.`,
  );
}

/** Asks for the code that the person's page shows: it proves whose key has answered. @throws ProgramError for another code, or none. */
export async function confirmPerson(
  terminal: Terminal,
  request: UnlockRequest,
  { personKey, json }: { readonly personKey: string; readonly json: boolean },
): Promise<void> {
  const code = await personCode(request, personKey);
  if (json) printLine(terminal, asJson("unlock", { asks: "personCode" }));
  for (;;) {
    const typed = await terminal.readLine(json ? "" : "Type the code that the page shows now: ");
    terminal.signal.throwIfAborted();
    if (typed === undefined) {
      throw new ProgramError(
        "The first unlock on this computer needs the code that the page shows after you have handed over the keys. Nothing was unlocked. " +
          "Run platform unlock in a terminal, or write the code to its standard input, as one line.",
      );
    }
    if (isUnlockCode(code, typed)) return;
    if (canBeUnlockCode(typed)) break;
    if (!json) terminal.err("The code has 16 letters and digits.\n");
  }
  throw new ProgramError(
    "The page shows another code, so the keys that arrived here are not those that you handed over. Nothing was unlocked. " +
      "If you have typed it wrong, run platform unlock again. If you have typed it right, somebody may have answered in your place: " +
      "do not try again in this network, and ask the operator of the platform.",
  );
}

/** Remembers the key of a person, like the file known_hosts of ssh, and the removals that they have handed over. */
export async function rememberPerson(terminal: Terminal, place: Place, person: ConfirmedPerson): Promise<void> {
  const path = pathIn(terminal);
  await writeSecretFile(path, { ...(await readConfirmed(path)), [nameOf(place)]: person });
}

async function readConfirmed(path: string): Promise<z.infer<typeof confirmedPeople>> {
  const stored = await readSecretFile(path);
  if (stored === undefined) return {};
  const { data } = confirmedPeople.safeParse(stored);
  if (data === undefined) throw new ProgramError(`${path} is damaged. Restore it, or remove it to start anew.`);
  return data;
}

function fingerprintOf(personKey: string): string {
  const digest = createHash("sha256").update(Buffer.from(personKey, "base64url")).digest("base64");
  return `SHA256:${digest.replace(/=+$/, "")}`;
}

function nameOf({ issuer, tenantId, accountId }: Place): string {
  return `${issuer} ${tenantId} ${accountId}`;
}

function pathIn(terminal: Terminal): string {
  return join(folderOf(terminal), "confirmed-people.json");
}
