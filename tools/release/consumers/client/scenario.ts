import { timestampDate } from "@bufbuild/protobuf/wkt";
import { createPlatformClient, isPlatformError, type PlatformClientOptions } from "@platform-rpc/client";
import { createPlatformClient as createJsonClient } from "@platform-rpc/client/json";
import { VaultService } from "@platform-rpc/types";

/** The URL of the platform, and data for one run of the scenario. */
export interface Fixture {
  readonly baseUrl: string;
  readonly token: string;
  readonly item: { readonly vaultId: string; readonly itemId: string; readonly baseVersion: number };
  readonly approvedCode: string;
  readonly pendingCode: string;
}

/** Deletes, retries, conflicts, polls and exchanges. Rejects when a response does not match the contract. */
export async function runScenario({ baseUrl, token, item, approvedCode, pendingCode }: Fixture): Promise<string> {
  const options: PlatformClientOptions = { baseUrl, token };
  const { vault, identityGateway } = createPlatformClient(options);

  const deleted = await vault.deleteItem(item);
  assert(deleted.item.deleted && deleted.item.version === 2, "the item is deleted");
  assert(
    deleted.item.updatedAt !== undefined && timestampDate(deleted.item.updatedAt).getTime() > 0,
    "the deletion has a time",
  );
  const again = await vault.deleteItem(item);
  assert(again.cursor.sequence === deleted.cursor.sequence, "a retry changes nothing");

  const plain = await createJsonClient({ baseUrl, token }).vault.deleteItem(item);
  assert(plain.item.deleted && plain.cursor.sequence === deleted.cursor.sequence, "the JSON entry returns the same");

  const conflict = await vault.deleteItem({ ...item, baseVersion: 7 }).catch((error: unknown) => error);
  assert(isPlatformError(conflict, "VERSION_CONFLICT"), "a wrong version is a conflict");
  const currentVersion: number = conflict.detail.currentVersion;
  assert(currentVersion === 2, "a conflict has the current version");

  const exchange = (deviceCode: string) => identityGateway.exchangeMcpOauthDeviceAuthorization({ deviceCode });
  const pending = await exchange(pendingCode);
  assert(pending.status === "authorization_pending" && pending.brokerToken === undefined, "a code is pending");
  const approved = await exchange(approvedCode);
  assert(approved.status === "approved" && approved.brokerToken?.role === "agent", "a code is exchanged");
  const used = await exchange(approvedCode).catch((error: unknown) => error);
  assert(isPlatformError(used, "DEVICE_CODE_CONSUMED"), "a code is exchanged once");

  const unauthenticated = createPlatformClient({ baseUrl, token: "none" });
  const refused = await unauthenticated.vault.deleteItem(item).catch((error: unknown) => error);
  assert(
    isPlatformError(refused, "UNAUTHENTICATED") && refused.code === "unauthenticated",
    "an unknown token is rejected",
  );
  return `${VaultService.typeName}: passed`;
}

function assert(condition: boolean, expectation: string): asserts condition {
  if (!condition) throw new Error(`Expected: ${expectation}.`);
}
