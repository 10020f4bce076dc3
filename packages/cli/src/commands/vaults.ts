import type { MemberVault } from "@platform-rpc/types-internal/accounts";
import { CommandError, exitCode } from "../exit-code.js";
import type { Connection } from "../session/connect.js";

/** Returns the vaults of the signed-in person. */
export async function listVaults({ member }: Connection, signal: AbortSignal): Promise<MemberVault[]> {
  const vaults: MemberVault[] = [];
  let pageToken = "";
  do {
    const page = await member.listVaults({ pageSize: 100, pageToken }, { signal });
    vaults.push(...page.vaults);
    pageToken = page.nextPageToken;
  } while (pageToken !== "");
  return vaults;
}

/** Returns the given vault, or the only one. @throws CommandError if there are several. */
export async function chooseVault(
  connection: Connection,
  given: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  if (given !== undefined) return given;
  const vaults = await listVaults(connection, signal);
  const [only, ...others] = vaults;
  if (only === undefined) throw new CommandError("You are not a member of any vault. Ask the owner of a vault.");
  if (others.length > 0) {
    const names = vaults.map(({ vaultId }) => vaultId).join(", ");
    throw new CommandError(`You are a member of several vaults. Choose one with --vault: ${names}`, exitCode.usage);
  }
  return only.vaultId;
}
