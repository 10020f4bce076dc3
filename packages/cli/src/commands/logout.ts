import { ProgramError } from "@platform-rpc/program";
import { explain } from "../explain.js";
import { folderOf, sessionAt } from "../session/connect.js";
import { readSettings } from "../session/settings-file.js";
import { printLine, type Terminal } from "../terminal.js";

/** Ends the session on the server, and removes it from this machine, also if the server cannot be reached. */
export async function logout(terminal: Terminal): Promise<void> {
  const at = await readSettings(folderOf(terminal));
  if (at === undefined) return printLine(terminal, "You are not signed in.");
  const session = sessionAt(terminal, at.issuer);
  if ((await session.scopes()) === undefined) return printLine(terminal, "You are not signed in.");
  try {
    await session.signOut();
  } catch (error) {
    // The file is removed even so.
    const text = `You are signed out on this machine, but the session has not ended on the server. End it at ${at.issuer}/account.`;
    throw new ProgramError(`${text}\n${explain(error).message}`, "unreachable");
  }
  printLine(terminal, `You are signed out of ${at.apiUrl}.`);
}
