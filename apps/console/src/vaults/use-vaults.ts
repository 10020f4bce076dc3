import { useInfiniteQuery } from "@connectrpc/connect-query";
import { MemberVaultService } from "@platform-rpc/types-internal/accounts";

/** Lists the vaults of the person. */
export function useVaults() {
  const listed = useInfiniteQuery(
    MemberVaultService.method.listVaults,
    { pageToken: "" },
    { pageParamKey: "pageToken", getNextPageParam: ({ nextPageToken }) => nextPageToken || undefined },
  );
  return { ...listed, vaults: listed.data?.pages.flatMap(({ vaults }) => vaults) };
}
