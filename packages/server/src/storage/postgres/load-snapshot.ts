import type { DeviceAuthorization } from "../../domain/device-authorization.js";
import type { StoredRecord } from "../../domain/record.js";
import { refreshFamilies } from "../../domain/refresh-family.js";
import type { Ref, Snapshots } from "../../ports/storage.js";
import type { DecisionRows } from "./working-set.js";

type RefOf<Kind extends Ref["kind"]> = Extract<Ref, { readonly kind: Kind }>;

/** Returns the snapshot of a ref, from rows that were loaded and then changed by earlier decisions. @throws NotLoadedError */
export function snapshotOf<R extends Ref>(set: DecisionRows, ref: R): Snapshots[R["kind"]];
export function snapshotOf(set: DecisionRows, ref: Ref): Snapshots[Ref["kind"]] {
  switch (ref.kind) {
    case "item":
      return itemSnapshot(set, ref);
    case "vault":
      return { vault: set.vaults.get(ref.tenantId, ref.vaultId)?.vault };
    case "deviceCode":
      return deviceCodeSnapshot(set, set.authorizations.get(ref.deviceCodeHash));
    case "userCode": {
      const authorization = newestWithUserCode(set, ref.userCodeHash);
      return {
        authorization,
        oauthClient: authorization && clientOf(set, authorization),
        principalActive: set.principals.get(ref.tenantId, ref.principalId) ?? false,
      };
    }
    case "start":
      return {
        oauthClient: set.clients.get(ref.tenantId, ref.oauthClientId)?.oauthClient,
        authorization: newestWithUserCode(set, ref.userCodeHash),
      };
    case "token": {
      const grantId = set.tokens.get(ref.tokenId);
      return { grant: grantId === undefined ? undefined : set.grants.get(grantId) };
    }
    case "oauthClient":
      return { oauthClient: set.clients.get(ref.tenantId, ref.oauthClientId)?.oauthClient };
    case "record":
      return recordSnapshot(set, ref);
    case "records": {
      const { principalActive: ownerActive, oauthClient } = recordSnapshot(set, ref.keys[0]);
      return {
        records: ref.keys.map(({ collection, key }) => set.records.get(collection, key)),
        ownerActive,
        oauthClient,
        vault: ref.vault && set.vaults.get(ref.vault.tenantId, ref.vault.vaultId)?.vault,
      };
    }
    case "nothing":
      return undefined;
  }
}

function itemSnapshot(set: DecisionRows, { tenantId, vaultId, itemId, principalId }: RefOf<"item">): Snapshots["item"] {
  const vault = set.vaults.get(tenantId, vaultId);
  if (vault === undefined) return { vault, role: undefined, item: undefined, floor: 0 };
  const role = principalId === undefined ? undefined : set.members.get(tenantId, vaultId, principalId);
  const mayRead = principalId === undefined || role !== undefined;
  const row = mayRead ? set.items.get(tenantId, vaultId, itemId) : undefined;
  return {
    vault: vault.vault,
    role,
    item: row && { ...row.status, sequence: row.sequence, content: row.content },
    floor: vault.floor,
  };
}

function deviceCodeSnapshot(
  set: DecisionRows,
  authorization: DeviceAuthorization | undefined,
): Snapshots["deviceCode"] {
  if (authorization === undefined) {
    return {
      authorization,
      oauthClient: undefined,
      approverActive: false,
      grant: undefined,
      grantRevoked: false,
      refreshFamily: undefined,
    };
  }
  const { tenantId, approverId, consumption } = authorization;
  return {
    authorization,
    oauthClient: clientOf(set, authorization),
    approverActive: approverId !== undefined && (set.principals.get(tenantId, approverId) ?? false),
    grant: consumption && set.grants.get(consumption.grantId),
    grantRevoked: consumption !== undefined && set.revocations.get(consumption.grantId) === true,
    // Loaded by a second statement: few callers send a consumed code.
    refreshFamily: consumption && set.records.get(refreshFamilies, consumption.grantId),
  };
}

function recordSnapshot(
  set: DecisionRows,
  ref: Pick<RefOf<"record">, "collection" | "key"> | undefined,
): Snapshots["record"] {
  const record = ref && set.records.get(ref.collection, ref.key);
  if (record === undefined) return { record, principalActive: false, oauthClient: undefined };
  const { tenantId, principalId, oauthClientId } = record;
  return {
    record,
    principalActive: principalId !== "" && (set.principals.get(tenantId, principalId) ?? false),
    oauthClient: oauthClientId === "" ? undefined : clientOf(set, record),
  };
}

function newestWithUserCode(set: DecisionRows, userCodeHash: string): DeviceAuthorization | undefined {
  const deviceCodeHash = set.userCodes.get(userCodeHash);
  return deviceCodeHash === undefined ? undefined : set.authorizations.get(deviceCodeHash);
}

function clientOf(set: DecisionRows, { tenantId, oauthClientId }: DeviceAuthorization | StoredRecord) {
  return set.clients.get(tenantId, oauthClientId)?.oauthClient;
}
