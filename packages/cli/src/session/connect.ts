import { homedir } from "node:os";
import { join } from "node:path";
import type { RenewableSession, StoredSession } from "@platform-rpc/client/session";
import {
  type Clients,
  configFolder,
  createClients,
  type OpenSessionOptions,
  openSession,
  openSessionStore,
  ProgramError,
} from "@platform-rpc/program";
import type { Terminal } from "../terminal.js";
import { readSettings, type SignedInAt } from "./settings-file.js";

/** The OAuth client of this program, which the platform registers itself. */
const clientId = "platform-cli";

/** Returns the folder of the program's files for this user. */
export function folderOf({ environment }: Terminal): string {
  return configFolder(environment, homedir());
}

function sessionFile(terminal: Terminal): string {
  return join(folderOf(terminal), "session.json");
}

/** Returns the options of the session at a platform. */
export function sessionOptionsAt(terminal: Terminal, issuer: string): OpenSessionOptions {
  return { issuer, clientId, path: sessionFile(terminal) };
}

/** Creates the session at a platform. */
export function sessionAt(terminal: Terminal, issuer: string): RenewableSession {
  return openSession(sessionOptionsAt(terminal, issuer));
}

/** Returns the stored session, also if it has expired or is at another platform than the settings name. */
export function loadSession(terminal: Terminal): Promise<StoredSession | undefined> {
  return openSessionStore(sessionFile(terminal)).load();
}

/** The clients of the signed-in person. */
export interface Connection extends SignedInAt, Clients {
  readonly session: RenewableSession;
}

/** Connects as the signed-in person. @throws ProgramError without a session. */
export async function connect(terminal: Terminal): Promise<Connection> {
  const at = await readSettings(folderOf(terminal));
  const session = at && sessionAt(terminal, at.issuer);
  if (at === undefined || session === undefined || (await session.scopes()) === undefined) {
    throw new ProgramError("You are not signed in. Run: platform login", "not signed in");
  }
  return { ...at, session, ...createClients(at, session) };
}
