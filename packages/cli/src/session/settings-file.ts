import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ProgramError, parseUrl } from "@platform-rpc/signed-in";
import * as z from "zod";

const url = z.string().refine((text) => parseUrl(text) === text);
const settings = z.object({ apiUrl: url, issuer: url });

/** Where the person has signed in. */
export interface SignedInAt {
  /** The URL of the API. */
  readonly apiUrl: string;
  /** The URL of the accounts origin. */
  readonly issuer: string;
}

/**
 * Returns where the person has signed in last; undefined before the first login.
 *
 * @throws ProgramError if the file is damaged or cannot be read.
 */
export async function readSettings(folder: string): Promise<SignedInAt | undefined> {
  const path = pathIn(folder);
  try {
    return settings.parse(JSON.parse(await readFile(path, "utf8")));
  } catch (error) {
    const { code = "damaged" }: { readonly code?: unknown } = Object(error);
    if (code === "ENOENT") return undefined;
    throw new ProgramError(`${path} cannot be read (${code}). Run: platform login --url <url>`, "not signed in");
  }
}

/** Remembers where the person has signed in. The folder exists: the session is in it. */
export async function writeSettings(folder: string, at: SignedInAt): Promise<void> {
  const path = pathIn(folder);
  await writeFile(path, `${JSON.stringify(settings.parse(at), undefined, 2)}\n`).catch(({ message }: Error) => {
    throw new ProgramError(`You are signed in, but ${path} cannot be written: ${message}`);
  });
}

function pathIn(folder: string): string {
  return join(folder, "settings.json");
}
