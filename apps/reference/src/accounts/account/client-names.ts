import type { Operations } from "@platform-rpc/server";

/** Returns the names of OAuth clients by their ids. The name of a removed one is its id. */
export async function clientNames(
  { getOauthClient }: Pick<Operations, "getOauthClient">,
  tenantId: string,
  ids: Iterable<string>,
): Promise<ReadonlyMap<string, string>> {
  const named = [...new Set(ids)].map(async (oauthClientId) => {
    const client = await getOauthClient({ tenantId, oauthClientId });
    return [oauthClientId, client?.name || oauthClientId] as const;
  });
  return new Map(await Promise.all(named));
}
