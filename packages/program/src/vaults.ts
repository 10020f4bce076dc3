import type { MemberVault } from "@platform-rpc/types-internal/accounts";
import type { Clients } from "./clients.js";
import { entriesOf } from "./pages.js";
import { ProgramError } from "./program-error.js";

/** Returns the vaults of the signed-in person. */
export async function listVaults({ member }: Pick<Clients, "member">, signal: AbortSignal): Promise<MemberVault[]> {
  const vaults: MemberVault[] = [];
  const pages = entriesOf<MemberVault, string>("", async (pageToken) => {
    const page = await member.listVaults({ pageSize: 100, pageToken }, { signal });
    return { entries: page.vaults, next: page.nextPageToken === "" ? undefined : page.nextPageToken };
  });
  for await (const vault of pages) vaults.push(vault);
  return vaults;
}

/** Returns the given vault, or the only one. @throws ProgramError if there are several. */
export async function chooseVault(
  clients: Pick<Clients, "member">,
  given: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  if (given !== undefined) return given;
  const vaults = await listVaults(clients, signal);
  const [only, ...others] = vaults;
  if (only === undefined) throw new ProgramError("You are not a member of any vault. Ask the owner of a vault.");
  if (others.length > 0) {
    const names = vaults.map(({ vaultId }) => vaultId).join(", ");
    throw new ProgramError(`You are a member of several vaults. Specify the vault: ${names}`, "usage");
  }
  return only.vaultId;
}
