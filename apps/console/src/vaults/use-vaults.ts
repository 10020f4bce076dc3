import { useInfiniteQuery } from "@connectrpc/connect-query";
import { MemberVaultService } from "@platform-rpc/types-internal/accounts";
import { useEffect } from "react";

/** Lists the vaults of the person. */
export function useVaults() {
  const listed = useInfiniteQuery(
    MemberVaultService.method.listVaults,
    { pageToken: "" },
    { pageParamKey: "pageToken", getNextPageParam: ({ nextPageToken }) => nextPageToken || undefined },
  );
  return { ...listed, vaults: listed.data?.pages.flatMap(({ vaults }) => vaults) };
}

/** Returns how long the deleted items of a vault can be restored, in days. Undefined until it is known. */
export function useRetentionDays(vaultId: string): number | undefined {
  const { vaults, hasNextPage, isFetching, error, fetchNextPage } = useVaults();
  const found = vaults?.find((vault) => vault.vaultId === vaultId);
  const isMissing = found === undefined && hasNextPage && !isFetching && error === null;
  useEffect(() => {
    if (isMissing) void fetchNextPage();
  }, [isMissing, fetchNextPage]);
  return found?.retentionDays;
}
