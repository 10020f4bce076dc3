import { createClient } from "@connectrpc/connect";
import { MemberVaultService } from "@platform-rpc/types-internal/accounts";
import { useQuery } from "@tanstack/react-query";
import { useConsole } from "../session/console-context.js";
import { reloadIfUpdated } from "../session/page-version.js";
import { ownVault } from "./own-vault.js";

/** How often the vaults are listed again, in milliseconds: another person may have shared one. After a failure, sooner. */
const [everyMs, afterFailureMs] = [60_000, 8_000];

/** Lists all vaults of the person. */
export function useVaults() {
  const { session, calls } = useConsole();
  const listed = useQuery({
    queryKey: ["vaults"],
    async queryFn({ signal }) {
      // The cryptography is no part of the first load. It arrives while the vaults are listed.
      const opening = import("./open-vaults.js").catch(() => undefined);
      const members = createClient(MemberVaultService, calls.member);
      const all = [];
      let pageToken = "";
      do {
        const { vaults, nextPageToken } = await members.listVaults({ pageToken }, { signal });
        all.push(...vaults);
        pageToken = nextPageToken;
      } while (pageToken !== "");
      const opened = await opening;
      if (opened !== undefined) return opened.openVaults(all, session, calls);
      // The network is away again, or the server has another version of the page: the vaults have no names for a while.
      void reloadIfUpdated();
      return all.map((vault) => ownVault(vault, vault.vaultId, session));
    },
    refetchInterval: ({ state }) => (state.status === "error" ? afterFailureMs : everyMs),
  });
  return { ...listed, vaults: listed.data };
}
