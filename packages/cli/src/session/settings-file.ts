import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";

const settings = z.object({ apiUrl: z.url(), issuer: z.url() });

/** Where the person has signed in. */
export interface SignedInAt {
  /** The URL of the API. */
  readonly apiUrl: string;
  /** The URL of the accounts origin. */
  readonly issuer: string;
}

/** Returns where the person has signed in last; undefined before the first login, and if the file is damaged. */
export async function readSettings(folder: string): Promise<SignedInAt | undefined> {
  try {
    return settings.parse(JSON.parse(await readFile(join(folder, "settings.json"), "utf8")));
  } catch {
    return undefined;
  }
}

/** Remembers where the person has signed in. The folder exists: the session is in it. */
export async function writeSettings(folder: string, at: SignedInAt): Promise<void> {
  await writeFile(join(folder, "settings.json"), `${JSON.stringify(settings.parse(at), undefined, 2)}\n`);
}
