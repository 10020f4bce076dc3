import { timestampDate } from "@bufbuild/protobuf/wkt";
import { createPlatformClient, isPlatformError, type PlatformClientOptions } from "@platform-rpc/client";
import { createPlatformClient as createJsonClient } from "@platform-rpc/client/json";
import { VaultService } from "@platform-rpc/types";

/** Where the platform is, and what may be used up in telling. */
export interface Scene {
  readonly baseUrl: string;
  readonly token: string;
  readonly item: { readonly vaultId: string; readonly itemId: string; readonly baseVersion: number };
  readonly approvedCode: string;
  readonly pendingCode: string;
}

/** Deletes, retries, conflicts, polls and exchanges: each answer is what the contract promises, or this rejects. */
export async function tellStory({ baseUrl, token, item, approvedCode, pendingCode }: Scene): Promise<string> {
  const options: PlatformClientOptions = { baseUrl, token };
  const { vault, identityGateway } = createPlatformClient(options);

  const deleted = await vault.deleteItem(item);
  mustHold(deleted.item.deleted && deleted.item.version === 2, "the item is deleted");
  mustHold(deleted.item.updatedAt !== undefined && timestampDate(deleted.item.updatedAt).getTime() > 0, "with a time");
  const again = await vault.deleteItem(item);
  mustHold(again.cursor.sequence === deleted.cursor.sequence, "a retry changes nothing");

  const plain = await createJsonClient({ baseUrl, token }).vault.deleteItem(item);
  mustHold(plain.item.deleted && plain.cursor.sequence === deleted.cursor.sequence, "plain JSON tells the same");

  const conflict = await vault.deleteItem({ ...item, baseVersion: 7 }).catch((error: unknown) => error);
  mustHold(isPlatformError(conflict, "VERSION_CONFLICT"), "a wrong version is a conflict");
  const currentVersion: number = conflict.detail.currentVersion;
  mustHold(currentVersion === 2, "which tells the version");

  const exchange = (deviceCode: string) => identityGateway.exchangeMcpOauthDeviceAuthorization({ deviceCode });
  const pending = await exchange(pendingCode);
  mustHold(pending.status === "authorization_pending" && pending.brokerToken === undefined, "a code is pending");
  const approved = await exchange(approvedCode);
  mustHold(approved.status === "approved" && approved.brokerToken?.role === "agent", "a code is exchanged");
  const used = await exchange(approvedCode).catch((error: unknown) => error);
  mustHold(isPlatformError(used, "DEVICE_CODE_CONSUMED"), "once");

  const stranger = createPlatformClient({ baseUrl, token: "none" });
  const refused = await stranger.vault.deleteItem(item).catch((error: unknown) => error);
  mustHold(isPlatformError(refused, "UNAUTHENTICATED") && refused.code === "unauthenticated", "a stranger is refused");
  return `${VaultService.typeName}: told`;
}

function mustHold(holds: boolean, promise: string): asserts holds {
  if (!holds) throw new Error(`It does not hold that ${promise}.`);
}
