import { readUnlocked as readOfSession, removeUnlocked, type UnlockedVaults } from "@platform-rpc/signed-in";
import { folderOf, loadSession } from "../session/connect.js";
import type { Terminal } from "../terminal/terminal.js";

/** Returns the vaults that `platform unlock` has unlocked; undefined if there are none, or the time is over. */
export async function readUnlocked(terminal: Terminal): Promise<UnlockedVaults | undefined> {
  const folder = folderOf(terminal);
  const unlocked = await readOfSession(folder, await loadSession(terminal));
  // The keys of another session are of no use to the person.
  if (unlocked === undefined) await removeUnlocked(folder);
  return unlocked;
}
