import type { DeviceCodeSnapshot, StartSnapshot, UserCodeSnapshot } from "../../domain/device-authorization.js";
import type { RecordSnapshot } from "../../domain/record.js";
import { refreshFamilies } from "../../domain/refresh-family.js";
import type { Ref, Snapshots } from "../../ports/storage.js";
import type { Tables } from "./tables/index.js";

type RefOf<Kind extends Ref["kind"]> = Extract<Ref, { readonly kind: Kind }>;

/** Loads the snapshot of a ref. */
export function loadSnapshot<R extends Ref>(tables: Tables, ref: R): Snapshots[R["kind"]];
export function loadSnapshot(tables: Tables, ref: Ref): Snapshots[Ref["kind"]] {
  switch (ref.kind) {
    case "item":
      return tables.items.snapshot(ref, ref.principalId);
    case "vault":
      return { vault: tables.vaults.find(ref.tenantId, ref.vaultId)?.vault };
    case "deviceCode":
      return loadDeviceCode(tables, ref);
    case "userCode":
      return loadUserCode(tables, ref);
    case "start":
      return loadStart(tables, ref);
    case "token":
      return { grant: tables.grants.findByToken(ref.tokenId) };
    case "oauthClient":
      return { oauthClient: tables.oauthClients.find(ref.tenantId, ref.oauthClientId) };
    case "record":
      return loadRecord(tables, ref);
    case "records": {
      const { principalActive: ownerActive, oauthClient } = loadRecord(tables, ref.keys[0]);
      return {
        records: ref.keys.map(({ collection, key }) => tables.records.find(collection, key)),
        ownerActive,
        oauthClient,
        vault: ref.vault && tables.vaults.find(ref.vault.tenantId, ref.vault.vaultId)?.vault,
      };
    }
    case "nothing":
      return undefined;
  }
}

function loadDeviceCode(tables: Tables, { deviceCodeHash }: RefOf<"deviceCode">): DeviceCodeSnapshot {
  const { deviceAuthorizations, grants, oauthClients, principals, records } = tables;
  const authorization = deviceAuthorizations.findByDeviceCode(deviceCodeHash);
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
  const { tenantId, oauthClientId, approverId, consumption } = authorization;
  return {
    authorization,
    oauthClient: oauthClients.find(tenantId, oauthClientId),
    approverActive: approverId !== undefined && principals.active(tenantId, approverId),
    grant: consumption && grants.find(consumption.grantId),
    grantRevoked: consumption !== undefined && grants.revoked(consumption.grantId),
    refreshFamily: consumption && records.find(refreshFamilies, consumption.grantId),
  };
}

function loadUserCode(tables: Tables, { userCodeHash, tenantId, principalId }: RefOf<"userCode">): UserCodeSnapshot {
  const { deviceAuthorizations, oauthClients, principals } = tables;
  const authorization = deviceAuthorizations.findByUserCode(userCodeHash);
  return {
    authorization,
    oauthClient: authorization && oauthClients.find(authorization.tenantId, authorization.oauthClientId),
    principalActive: principals.active(tenantId, principalId),
  };
}

function loadStart(tables: Tables, { userCodeHash, tenantId, oauthClientId }: RefOf<"start">): StartSnapshot {
  return {
    oauthClient: tables.oauthClients.find(tenantId, oauthClientId),
    authorization: tables.deviceAuthorizations.findByUserCode(userCodeHash),
  };
}

function loadRecord(tables: Tables, ref: Pick<RefOf<"record">, "collection" | "key"> | undefined): RecordSnapshot {
  const record = ref && tables.records.find(ref.collection, ref.key);
  if (record === undefined) return { record, principalActive: false, oauthClient: undefined };
  const { tenantId, principalId, oauthClientId } = record;
  return {
    record,
    principalActive: principalId !== "" && tables.principals.active(tenantId, principalId),
    oauthClient: oauthClientId === "" ? undefined : tables.oauthClients.find(tenantId, oauthClientId),
  };
}
