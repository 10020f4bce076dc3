import { homedir } from "node:os";
import { join } from "node:path";
import { printable } from "@platform-rpc/client";
import type { RenewableSession, StoredSession } from "@platform-rpc/client/session";
import {
  configFolder,
  createClients,
  type OpenSessionOptions,
  openSession,
  openSessionStore,
  type ProgramClients,
  ProgramError,
} from "@platform-rpc/signed-in";
import * as z from "zod";
import type { Terminal } from "../terminal/terminal.js";
import { readSettings, type Settings, type SignedInAt } from "./settings-file.js";

/** The scopes that the commands need. A login asks for the first one only, unless `--scope` names others. */
export const allScopes = [
  "vault.items:read",
  "vault.items:write",
  "vault.items:delete",
  "vault.items:restore",
] as const;

export type Scope = (typeof allScopes)[number];

/** The OAuth client of this program, which the platform registers itself. */
export const clientId = "platform-cli";

/** Returns the folder of the program's files for this user. */
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

export interface Connection extends Settings, ProgramClients {
  readonly session: RenewableSession;
}

/**
 * Connects as the signed-in person, for a command that needs scopes. Default: none.
 *
 * @throws ProgramError without a session, or if it lacks a scope.
 */
export async function connect(terminal: Terminal, needed: readonly Scope[] = []): Promise<Connection> {
  const at = await readSettings(folderOf(terminal));
  const session = at && sessionAt(terminal, at);
  const granted = await session?.scopes();
  if (at === undefined || session === undefined || granted === undefined) {
    throw new ProgramError("You are not signed in. Run: platform login", "not signed in");
  }
  const missing = needed.filter((scope) => !granted.includes(scope));
  if (missing.length > 0) {
    const words = allScopes.filter((scope) => granted.includes(scope) || missing.includes(scope)).join(" ");
    throw new ProgramError(
      `This command needs ${missing.join(" and ")}, which you have not allowed. Run: platform login --scope ${words}`,
    );
  }
  return { ...at, session, ...createClients(at, session) };
}

const text = z.string().transform(printable);
const claims = z.object({
  sub: text,
  tenant_id: text,
  client_id: text,
  scope: text,
  exp: z.number(),
});

/** What an access token says about its bearer. Not verified: only for display. */
export function readTokenClaims(token: string): z.infer<typeof claims> | undefined {
  try {
    const [, payload = ""] = token.split(".");
    return claims.parse(JSON.parse(Buffer.from(payload, "base64url").toString()));
  } catch {
    return undefined;
  }
}
