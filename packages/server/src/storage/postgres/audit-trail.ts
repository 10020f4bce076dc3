import { type AuditHead, sealRows } from "../../audit/seal-rows.js";
import { type AuditRow, type AuditSeal, entriesInOrder, noDigest } from "../../domain/model/audit-seal.js";
import { type Storage, StorageError } from "../../ports/storage.js";
import type { CallFunction } from "./database/database.js";

type ListedRow = readonly [
  position: number,
  at: number,
  subjectTenantId: string,
  subject: string,
  event: string,
  versionBefore: number,
  versionAfter: number,
  tenantId: string,
  principalId: string,
  oauthClientId: string,
  tokenId: string,
  operation: string,
  requestId: string,
];

type ListedSeal = readonly [
  subjectTenantId: string,
  previousPosition: number,
  position: number,
  rows: number,
  month: string,
  previousDigest: string | null,
  digest: string,
  previousTrail: string | null,
  trail: string,
  followsArrival: boolean,
];

/** The result of `platform_unsealed_audit`. */
interface Unsealed {
  readonly after: number;
  readonly trail: string | null;
  readonly rows: readonly ListedRow[];
  readonly heads: Readonly<Record<string, readonly [position: number, digest: string]>>;
}

/** The result of `platform_read_audit`. */
interface ListedPage {
  readonly rows: readonly ListedRow[];
  readonly seals: readonly ListedSeal[];
  readonly position: number;
  readonly hasMore: boolean;
  readonly unsealed: number;
  /** The first one that does not match its checksum. */
  readonly damagedRow: string | null;
}

/** @param functions `read` is for functions without an effect, and may call them again. */
export function createPostgresAuditTrail({
  read,
  readOf,
  call,
  noticed = () => {},
}: {
  readonly read: CallFunction;
  readonly readOf: (tenantIds: readonly string[]) => CallFunction;
  readonly call: CallFunction;
  /** Called with the damage of rows that are returned. Default: it is ignored. */
  readonly noticed?: (damage: StorageError) => void;
}): Pick<Storage, "sealAudit" | "readAudit" | "listAudit"> {
  return {
    async sealAudit(limit) {
      const { after, trail, rows, heads } = await read<Unsealed>("SELECT platform_unsealed_audit($1)", limit);
      if (rows.length === 0) return { rows: 0, head: undefined };
      const known = new Map(Object.entries(heads));
      const headOf = (subjectTenantId: string): AuditHead | undefined => {
        const [position, digest] = known.get(subjectTenantId) ?? [];
        return position === undefined || digest === undefined ? undefined : { position, digest };
      };
      const seals = sealRows({ rows: rows.map(toAuditRow), headOf, trail: trail ?? undefined });
      const written = JSON.stringify(seals.map(toColumns));
      const sealed = await call<boolean>("SELECT platform_seal_audit($1, $2)", after, written);
      return sealed ? { rows: rows.length, head: seals.at(-1) } : { rows: 0, head: undefined };
    },

    async readAudit(position, limit) {
      const page = await read<ListedPage>("SELECT platform_read_audit($1, $2)", position, limit);
      const { rows, seals, damagedRow, ...place } = page;
      if (damagedRow !== null) noticed(new StorageError("damaged", { damagedRow }));
      return { ...place, entries: entriesInOrder(rows.map(toAuditRow), seals.map(toAuditSeal)) };
    },

    async listAudit({ tenantId, before = Number.MAX_SAFE_INTEGER, limit }) {
      const sql = "SELECT platform_list_audit($1, $2, $3)";
      const rows = (await readOf([tenantId])<readonly ListedRow[]>(sql, tenantId, before, limit)).map(toAuditRow);
      return { rows, next: rows.length < limit ? undefined : rows.at(-1)?.position };
    },
  };
}

function toColumns({ subjectTenantId, previousPosition, position, rows, month, digest, trail }: AuditSeal) {
  const place = { subject_tenant_id: subjectTenantId, position, previous_position: previousPosition };
  return { ...place, row_count: rows, month, digest, trail };
}

function toAuditRow([position, at, subjectTenantId, subject, event, before, after, ...actor]: ListedRow): AuditRow {
  const [tenantId, principalId, oauthClientId, tokenId, operation, requestId] = actor;
  const change = { position, at, subjectTenantId, subject, event, versionBefore: before, versionAfter: after };
  return { ...change, tenantId, principalId, oauthClientId, tokenId, operation, requestId };
}

function toAuditSeal([subjectTenantId, previousPosition, position, rows, month, ...digests]: ListedSeal): AuditSeal {
  const [previousDigest, digest, previousTrail, trail, followsArrival] = digests;
  const place = { subjectTenantId, previousPosition, position, rows, month };
  return {
    ...place,
    previousDigest: previousDigest ?? noDigest,
    digest,
    previousTrail: previousTrail ?? noDigest,
    trail,
    ...(followsArrival && { followsArrival }),
  };
}
