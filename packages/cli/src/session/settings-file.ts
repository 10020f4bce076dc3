import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ProgramError, parseUrl } from "@platform-rpc/signed-in";
import * as z from "zod";

const url = z.string().refine((text) => parseUrl(text) === text);
const settings = z.object({ apiUrl: url, issuer: url, vault: z.string().min(1).max(128).optional() });

export interface SignedInAt {
  readonly apiUrl: string;
  /** The URL of the accounts origin. */
  readonly issuer: string;
}

export interface Settings extends SignedInAt {
  /** The id of the vault that commands use by default. */
  readonly vault?: string | undefined;
}

/** Returns where the person has signed in last; undefined before. @throws ProgramError if the file is damaged or cannot be read. */
export async function readSettings(folder: string): Promise<Settings | undefined> {
  const path = pathIn(folder);
  try {
    return settings.parse(JSON.parse(await readFile(path, "utf8")));
  } catch (error) {
    const { code = "damaged" }: { readonly code?: unknown } = Object(error);
    if (code === "ENOENT") return undefined;
    throw new ProgramError(`${path} cannot be read (${code}). Run: platform login --url <url>`, "not signed in");
  }
}

/** Remembers where the person has signed in. The folder exists: the session is in it. The default vault is that of the same platform. */
export async function writeSettings(folder: string, at: SignedInAt): Promise<void> {
  const before = await readSettings(folder).catch(() => undefined);
  const isSame = before?.apiUrl === at.apiUrl && before.issuer === at.issuer;
  await write(folder, { ...at, ...(isSame && { vault: before.vault }) }, "You are signed in, but ");
}

export async function writeDefaultVault(folder: string, { apiUrl, issuer }: SignedInAt, vault: string): Promise<void> {
  await write(folder, { apiUrl, issuer, vault }, "");
}

async function write(folder: string, values: Settings, before: string): Promise<void> {
  const path = pathIn(folder);
  await writeFile(path, `${JSON.stringify(settings.parse(values), undefined, 2)}\n`).catch(({ message }: Error) => {
    throw new ProgramError(`${before}${path} cannot be written: ${message}`);
  });
}

function pathIn(folder: string): string {
  return join(folder, "settings.json");
}
