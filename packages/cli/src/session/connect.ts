import { homedir } from "node:os";
import { join } from "node:path";
import { type Fetch, printable } from "@platform-rpc/client";
import type { RenewableSession, StoredSession } from "@platform-rpc/client/session";
import {
  configFolder,
  createClients,
  type OpenSessionOptions,
  openSession,
  openSessionStore,
  type ProgramClients,
  ProgramError,
  readTokenClaims,
} from "@platform-rpc/signed-in";
import type { Terminal } from "../terminal/terminal.js";
import { readSettings, type Settings, type SignedInAt } from "./settings-file.js";

/** The scopes that the commands need. A login asks for the first one only, unless `--scope` names others. */
export const allScopes = [
  "vault.items:read",
  "vault.items:write",
  "vault.items:delete",
  "vault.items:restore",
  "vault.items:use",
] as const;

export type Scope = (typeof allScopes)[number];

/** The OAuth client of this program, which the platform registers itself. */
export const clientId = "platform-cli";

export function folderOf({ environment }: Terminal): string {
  return configFolder(environment, homedir());
}

function sessionFile(terminal: Terminal): string {
  return join(folderOf(terminal), "session.json");
}

export function sessionOptionsAt(terminal: Terminal, { apiUrl, issuer }: SignedInAt): OpenSessionOptions {
  return { issuer, resource: apiUrl, clientId, path: sessionFile(terminal) };
}

export function sessionAt(terminal: Terminal, at: SignedInAt): RenewableSession {
  return openSession(sessionOptionsAt(terminal, at));
}

/** Returns the stored session, also if it has expired or is at another platform than the settings name. */
export function loadSession(terminal: Terminal): Promise<StoredSession | undefined> {
  return openSessionStore(sessionFile(terminal)).load();
}

/** Returns what the token of the signed-in person says. @throws ProgramError if nobody has signed in */
export async function loadClaims(terminal: Terminal) {
  const claims = readTokenClaims((await loadSession(terminal))?.accessToken ?? "");
  if (claims === undefined) throw new ProgramError("You are not signed in. Run: platform login", "not signed in");
  return claims;
}

export interface Connection extends Settings, ProgramClients {
  readonly session: RenewableSession;
  /** What the person has allowed. */
  readonly scopes: readonly string[];
}

/** Connects as the signed-in person. Default scopes: none. @throws ProgramError without a session, or if it lacks a scope. */
export async function connect(terminal: Terminal, needed: readonly Scope[] = [], fetch?: Fetch): Promise<Connection> {
  const at = await readSettings(folderOf(terminal));
  const session = at && sessionAt(terminal, at);
  const granted = await session?.scopes();
  const scopes: readonly string[] = granted ?? [allScopes[0]];
  const missing = needed.filter((scope) => !scopes.includes(scope));
  const words = allScopes.filter((scope) => scopes.includes(scope) || missing.includes(scope)).join(" ");
  const login = missing.length === 0 ? "platform login" : `platform login --scope ${words}`;
  if (at === undefined || session === undefined || granted === undefined) {
    throw new ProgramError(`You are not signed in. Run: ${login}`, "not signed in");
  }
  if (missing.length > 0) {
    throw new ProgramError(`This command needs ${missing.join(" and ")}, which you have not allowed. Run: ${login}`);
  }
  return { ...at, session, scopes: granted, ...createClients(at, session, fetch) };
}

/** A name is not worth more waiting. */
const longestMs = 3000;

/** Returns what the signed-in person is called. Undefined if the server does not say so, or the program may not ask. */
export async function personName(
  { person }: Pick<ProgramClients, "person">,
  scopes: readonly string[],
  signal: AbortSignal,
): Promise<string | undefined> {
  if (!scopes.includes("vault.items:read")) return undefined;
  try {
    const { displayName } = await person.getPerson({}, { signal, timeoutMs: longestMs });
    return printable(displayName) || undefined;
  } catch {
    return undefined;
  }
}
