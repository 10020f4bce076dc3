import type { OauthClient, RegisteredOauthClient } from "../../domain/access.js";
import type { AuditRow } from "../../domain/audit-seal.js";
import type { Decision, Write } from "../../domain/decision.js";
import type { DeviceAuthorization } from "../../domain/device-authorization.js";
import type { Grant } from "../../domain/grant.js";
import type { StoredRecord } from "../../domain/record.js";
import { refreshFamilies } from "../../domain/refresh-family.js";
import type { BoundRule } from "../../domain/rule.js";
import type { Ref, Snapshots, Storage } from "../../ports/storage.js";

/**
 * Applies the rules of device authorizations, authorization codes and refresh families, and nothing else: no queue, no threads, no
 * files.
 */
export function createMemoryStorage(): Pick<Storage, "transact" | "readAccess" | "listAudit"> {
  const clients = new Map<string, RegisteredOauthClient>();
  const activePrincipals = new Set<string>();
  const authorizations = new Map<string, DeviceAuthorization>();
  const newestOfUserCode = new Map<string, string>();
  const grants = new Map<string, Grant>();
  const revocations = new Set<string>();
  const records = new Map<string, StoredRecord>();
  const audit: AuditRow[] = [];

  const clientOf = ({ tenantId, oauthClientId }: Pick<OauthClient, "tenantId" | "oauthClientId">) =>
    clients.get(`${tenantId}/${oauthClientId}`);
  const isActive = (tenantId: string, principalId: string) => activePrincipals.has(`${tenantId}/${principalId}`);
  const ofUserCode = (hash: string) => authorizations.get(newestOfUserCode.get(hash) ?? "");
  const recordOf = ({ collection, key }: Pick<StoredRecord, "collection" | "key">) =>
    records.get(`${collection}/${key}`);
  const ownerOf = (record: StoredRecord | undefined) => ({
    ownerActive: record !== undefined && isActive(record.tenantId, record.principalId),
    oauthClient: record && clientOf(record),
  });

  const load = (ref: Ref): Snapshots[Ref["kind"]] => {
    switch (ref.kind) {
      case "deviceCode": {
        const authorization = authorizations.get(ref.deviceCodeHash);
        const { tenantId = "", approverId = "", consumption } = authorization ?? {};
        const { grantId = "" } = consumption ?? {};
        return {
          authorization,
          oauthClient: authorization && clientOf(authorization),
          approverActive: isActive(tenantId, approverId),
          grant: grants.get(grantId),
          grantRevoked: revocations.has(grantId),
          refreshFamily: recordOf({ collection: refreshFamilies, key: grantId }),
        };
      }
      case "userCode": {
        const authorization = ofUserCode(ref.userCodeHash);
        const oauthClient = authorization && clientOf(authorization);
        return { authorization, oauthClient, principalActive: isActive(ref.tenantId, ref.principalId) };
      }
      case "start":
        return { oauthClient: clientOf(ref), authorization: ofUserCode(ref.userCodeHash) };
      case "record": {
        const record = recordOf(ref);
        const { ownerActive: principalActive, oauthClient } = ownerOf(record);
        return { record, principalActive, oauthClient };
      }
      case "records": {
        const found = ref.keys.map(recordOf);
        return { vault: undefined, records: found, ...ownerOf(found[0]) };
      }
      case "nothing":
        return undefined;
      default:
        throw new Error(`The rules of authorizations do not load: ${ref.kind}.`);
    }
  };

  const commit = (write: Write): unknown => {
    switch (write.kind) {
      case "oauthClient":
        return clients.set(`${write.oauthClient.tenantId}/${write.oauthClient.oauthClientId}`, write.oauthClient);
      case "principal": {
        const key = `${write.principal.tenantId}/${write.principal.principalId}`;
        return write.principal.active ? activePrincipals.add(key) : activePrincipals.delete(key);
      }
      case "deviceAuthorization": {
        const { deviceCodeHash, userCodeHash } = write.authorization;
        if (!authorizations.has(deviceCodeHash)) newestOfUserCode.set(userCodeHash, deviceCodeHash);
        return authorizations.set(deviceCodeHash, write.authorization);
      }
      case "grant":
        return grants.set(write.grant.grantId, write.grant);
      case "revocation":
        return revocations.add(write.subjectId);
      case "record": {
        const revision = (recordOf(write.record)?.revision ?? 0) + 1;
        if (write.record.revision !== revision) throw new Error(`The revision after ${revision - 1} is ${revision}.`);
        return records.set(`${write.record.collection}/${write.record.key}`, { ...write.record, revision });
      }
      case "audit":
        return audit.push({ ...write.record, position: audit.length + 1 });
      default:
        throw new Error(`The rules of authorizations do not write: ${write.kind}.`);
    }
  };

  return {
    async transact<R extends Ref, Outcome>(ref: R, { decide }: BoundRule<Snapshots[R["kind"]], Outcome>) {
      const { outcome, writes }: Decision<Outcome> = Reflect.apply(decide, undefined, [load(ref)]);
      for (const write of writes) commit(write);
      return { outcome, sequence: undefined };
    },
    async readAccess({ tenantId, principalId, oauthClientId, tokenId, grantId }) {
      const revoked = !grants.has(grantId) || revocations.has(grantId) || revocations.has(tokenId);
      const oauthClient = clientOf({ tenantId, oauthClientId });
      return { oauthClient, principalActive: isActive(tenantId, principalId), revoked };
    },
    async listAudit({ tenantId, limit }) {
      const rows = audit.filter(({ subjectTenantId }) => subjectTenantId === tenantId);
      return { rows: rows.slice(-limit).reverse(), next: undefined };
    },
  };
}
