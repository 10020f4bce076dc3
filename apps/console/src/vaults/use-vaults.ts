import { createClient } from "@connectrpc/connect";
import { MemberVaultService } from "@platform-rpc/types-internal/accounts";
import { useQuery } from "@tanstack/react-query";
import { useConsole } from "../session/console-context.js";
import { createVaultChanges } from "./change-vaults.js";
import { openVault } from "./own-vault.js";

/** How often the vaults are listed again, in milliseconds: another person may have shared one. After a failure, sooner. */
const [everyMs, afterFailureMs] = [60_000, 8_000];

/** Lists all vaults of the person. */
export function useVaults() {
  const { session, calls } = useConsole();
  const listed = useQuery({
    queryKey: ["vaults"],
    async queryFn({ signal }) {
      const members = createClient(MemberVaultService, calls.member);
      const all = [];
      let pageToken = "";
      do {
        const { vaults, nextPageToken } = await members.listVaults({ pageToken }, { signal });
        all.push(...vaults);
        pageToken = nextPageToken;
      } while (pageToken !== "");
      const vaults = await createVaultChanges(session, calls.member).withPersonalKey(all);
      return Promise.all(vaults.map((vault) => openVault(vault, session)));
    },
    refetchInterval: ({ state }) => (state.status === "error" ? afterFailureMs : everyMs),
  });
  return { ...listed, vaults: listed.data };
}
