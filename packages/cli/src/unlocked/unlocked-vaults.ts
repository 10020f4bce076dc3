import {
  readUnlocked as readOfSession,
  removeUnlocked,
  type UnlockedVaults,
  unlockedVersion,
} from "@platform-rpc/signed-in";
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

/** Returns a function that returns what is unlocked at the time: the same object, until it is locked or unlocked again. */
export function followUnlocked(terminal: Terminal): () => Promise<UnlockedVaults | undefined> {
  const folder = folderOf(terminal);
  let known: { readonly version: string; readonly unlocked: Promise<UnlockedVaults | undefined> } | undefined;
  return async () => {
    const version = await unlockedVersion(folder);
    if (version === undefined) known = undefined;
    else if (version !== known?.version) known = { version, unlocked: readUnlocked(terminal) };
    return known?.unlocked;
  };
}
