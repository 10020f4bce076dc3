import { homedir } from "node:os";
import { join } from "node:path";
import { createDeviceSession, type RenewableSession } from "@platform-rpc/client/session";
import { createFileSessionStore } from "@platform-rpc/client/session-file";
import { type Clients, configFolder, createClients } from "@platform-rpc/program";
import { CommandError, exitCode } from "../exit-code.js";
import type { Terminal } from "../terminal.js";
import { readSettings, type SignedInAt } from "./settings-file.js";

/** The OAuth client of this program, which the platform registers itself. */
const clientId = "platform-cli";

/** Returns the folder of the program's files for this user. */
export function folderOf({ environment }: Terminal): string {
  return configFolder(environment, homedir());
}

/** Creates the session at a platform. It is in `session.json` of the folder. */
export function sessionAt(terminal: Terminal, issuer: string): RenewableSession {
  const store = createFileSessionStore(join(folderOf(terminal), "session.json"));
  return createDeviceSession({ issuer, clientId, store });
}

/** The clients of the signed-in person. */
export interface Connection extends SignedInAt, Clients {
  readonly session: RenewableSession;
}

/** Connects as the signed-in person. @throws CommandError without a session. */
export async function connect(terminal: Terminal): Promise<Connection> {
  const at = await readSettings(folderOf(terminal));
  const session = at && sessionAt(terminal, at.issuer);
  if (at === undefined || session === undefined || (await session.scopes()) === undefined) {
    throw new CommandError("You are not signed in. Run: platform login", exitCode.notSignedIn);
  }
  return { ...at, session, ...createClients(at, session) };
}
