import { folderOf, sessionAt } from "../session/connect.js";
import { readSettings } from "../session/settings-file.js";
import { printLine, type Terminal } from "../terminal.js";

/** Ends the session on the server, and removes it from this machine, also if the server cannot be reached. */
export async function logout(terminal: Terminal): Promise<void> {
  const at = await readSettings(folderOf(terminal));
  if (at === undefined) return printLine(terminal, "You are not signed in.");
  const session = sessionAt(terminal, at.issuer);
  if ((await session.scopes()) === undefined) return printLine(terminal, "You are not signed in.");
  await session.signOut();
  printLine(terminal, `You are signed out of ${at.apiUrl}.`);
}
