import { createClient } from "@connectrpc/connect";
import { MemberVaultService } from "@platform-rpc/types-internal/accounts";
import { useQuery } from "@tanstack/react-query";
import { useConsole } from "../session/console-context.js";

/** How often the vaults are listed again, in milliseconds: another person may have shared one. After a failure, sooner. */
const [everyMs, afterFailureMs] = [60_000, 8_000];

/** Lists all vaults of the person. */
export function useVaults() {
  const { calls } = useConsole();
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
      return all;
    },
    refetchInterval: ({ state }) => (state.status === "error" ? afterFailureMs : everyMs),
  });
  return { ...listed, vaults: listed.data };
}
