import type { DeviceAuthorization, ItemSnapshot, Ref, Snapshots } from "@platform-rpc/server";
import { refreshFamilies } from "@platform-rpc/server/fetch";
import type { MemoryTables } from "./memory-tables.ts";

type RefOf<Kind extends Ref["kind"]> = Extract<Ref, { readonly kind: Kind }>;

/** Loads the snapshot of a ref. */
export function loadSnapshot<R extends Ref>(tables: MemoryTables, ref: R): Snapshots[R["kind"]];
export function loadSnapshot(tables: MemoryTables, ref: Ref): Snapshots[Ref["kind"]] {
  switch (ref.kind) {
    case "item":
      return loadItem(tables, ref);
    case "vault":
      return { vault: tables.vaults.get(ref.tenantId, ref.vaultId)?.vault };
    case "deviceCode":
      return loadDeviceCode(tables, tables.deviceAuthorizations.get(ref.deviceCodeHash));
    case "userCode": {
      const authorization = findByUserCode(tables, ref.userCodeHash);
      const oauthClient = authorization && tables.oauthClients.get(authorization.tenantId, authorization.oauthClientId);
      return { authorization, oauthClient, principalActive: isActive(tables, ref.tenantId, ref.principalId) };
    }
    case "start": {
      const authorization = findByUserCode(tables, ref.userCodeHash);
      return { authorization, oauthClient: tables.oauthClients.get(ref.tenantId, ref.oauthClientId) };
    }
    case "token": {
      const ofToken = [...tables.grants.all()].find(
        ({ accessTokenId, brokerTokenId }) =>
          ref.tokenId !== "" && [accessTokenId, brokerTokenId].includes(ref.tokenId),
      );
      return { grant: ofToken };
    }
    case "oauthClient":
      return { oauthClient: tables.oauthClients.get(ref.tenantId, ref.oauthClientId) };
    case "record":
      return loadRecord(tables, ref);
    case "records": {
      const { principalActive: ownerActive, oauthClient } = loadRecord(tables, ref.keys[0]);
      return {
        records: ref.keys.map(({ collection, key }) => tables.records.get(collection, key)),
        ownerActive,
        oauthClient,
        vault: ref.vault && tables.vaults.get(ref.vault.tenantId, ref.vault.vaultId)?.vault,
      };
    }
    case "clock":
      return { record: tables.clock.get() };
    case "keys":
      return { keysId: tables.keys.get() };
    case "nothing":
      return undefined;
  }
}

/** Returns whether a principal is active. An unknown principal is not. */
export function isActive({ principals }: MemoryTables, tenantId: string, principalId: string): boolean {
  return principals.get(tenantId, principalId)?.active === true;
}

function loadRecord(
  tables: MemoryTables,
  { collection, key }: Pick<RefOf<"record">, "collection" | "key"> = { collection: "", key: "" },
): Snapshots["record"] {
  const record = tables.records.get(collection, key);
  const { tenantId = "", principalId = "", oauthClientId = "" } = record ?? {};
  const oauthClient = tables.oauthClients.get(tenantId, oauthClientId);
  return { record, principalActive: isActive(tables, tenantId, principalId), oauthClient };
}

function loadItem(tables: MemoryTables, { tenantId, vaultId, itemId, principalId }: RefOf<"item">): ItemSnapshot {
  const vault = tables.vaults.get(tenantId, vaultId)?.vault;
  const role = principalId === undefined ? undefined : tables.members.get(tenantId, vaultId, principalId);
  const mayKnow = principalId === undefined || role !== undefined;
  const row = mayKnow ? tables.items.get(tenantId, vaultId, itemId) : undefined;
  const item = row && { ...row.status, sequence: row.sequence, content: () => row.content };
  return { vault, role, item, floor: 0 };
}

function loadDeviceCode(tables: MemoryTables, authorization: DeviceAuthorization | undefined): Snapshots["deviceCode"] {
  const { tenantId = "", oauthClientId = "", approverId, consumption } = authorization ?? {};
  return {
    authorization,
    oauthClient: tables.oauthClients.get(tenantId, oauthClientId),
    approverActive: approverId !== undefined && isActive(tables, tenantId, approverId),
    grant: consumption && tables.grants.get(consumption.grantId),
    grantRevoked: consumption !== undefined && tables.revocations.get(consumption.grantId) !== undefined,
    refreshFamily: consumption && tables.records.get(refreshFamilies, consumption.grantId),
  };
}

function findByUserCode({ deviceAuthorizations }: MemoryTables, userCodeHash: string) {
  return deviceAuthorizations.all().findLast((authorization) => authorization.userCodeHash === userCodeHash);
}
