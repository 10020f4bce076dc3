import { ProgramError } from "@platform-rpc/signed-in";
import { loadSession, sessionAt } from "../session/connect.js";
import { explain } from "../terminal/explain.js";
import { printLine, type Terminal } from "../terminal/terminal.js";
import { removeProgramKey } from "../unlocked/program-key.js";
import { removeUnlocked } from "../unlocked/unlocked-file.js";

/** Ends the session on the server, and removes it from this machine, also if the server cannot be reached. */
export async function logout(terminal: Terminal): Promise<void> {
  await removeUnlocked(terminal);
  await removeProgramKey(terminal);
  // The session names its server. The settings may be missing, damaged, or name another one.
  const stored = await loadSession(terminal);
  if (stored === undefined) return printLine(terminal, "You are not signed in.");
  const { issuer, resource: apiUrl } = stored;
  try {
    await sessionAt(terminal, { apiUrl, issuer }).signOut();
  } catch (error) {
    // The file is removed even so.
    const text = `You are signed out on this machine, but the session has not ended on the server. End it at ${issuer}/account.`;
    throw new ProgramError(`${text}\n${explain(error).message}`, "unreachable");
  }
  printLine(terminal, `You are signed out of ${issuer}.`);
}
