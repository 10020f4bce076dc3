import { join } from "node:path";
import { newCommandLine } from "./command-line.js";
import type { TestApp } from "./start-test-app.js";
import { unlockVault } from "./unlocked-vault.js";

/** Creates the program `platform` of the demo's user, who is signed in and has unlocked a new vault, "Work". */
export async function newUnlockedCommandLine(
  { publicUrl, accountsUrl = "", ...app }: Pick<TestApp, "publicUrl" | "internalUrl" | "accountsUrl" | "adminToken">,
  scopes: readonly string[],
) {
  const commandLine = await newCommandLine(app);
  const files = join(commandLine.home, ".config/platform");
  const unlock = { scopes, approve: commandLine.approve };
  const { member, vaultId: workId } = await unlockVault({ publicUrl, accountsUrl }, files, unlock);
  return { commandLine, member, files, workId };
}
