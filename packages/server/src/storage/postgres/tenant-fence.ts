import { type Ref, StorageError } from "../../ports/storage.js";
import type { CellOptions } from "./options.js";

export type Statement = readonly [sql: string, ...values: readonly unknown[]];

/** Refuses calls about tenants that this database does not serve. */
export interface TenantFence {
  /** Returns a statement that selects one value, and fails if it may not read the data of the tenants. */
  reading(tenantIds: Iterable<string>, ...statement: Statement): Statement;
  /** The same for one that writes. */
  writing(tenantIds: Iterable<string>, ...statement: Statement): Statement;
  /** The SQL of whether a row belongs to a tenant that is served and may be written to. @param row the name of a row */
  served(row: string): string;
  /** Remembers for a moment that the tenant of a call was refused. */
  notice(ref: Ref, error: unknown): void;
  /** Returns why the tenant of a call was refused a moment ago. Then the call needs no batch, which it would divide. */
  refusalOf(ref: Ref): StorageError | undefined;
}

/** How long a refusal is remembered, in milliseconds. */
const rememberedMs = 200;

const rememberedLimit = 10_000;

const openFence: TenantFence = {
  reading: (_, ...statement) => statement,
  writing: (_, ...statement) => statement,
  served: () => "true",
  notice() {},
  refusalOf: () => undefined,
};

/** Creates the fence of a storage: see `schema/tenants.ts`. @param cell undefined: every tenant is served. */
export function createTenantFence(cell: CellOptions | undefined): TenantFence {
  if (cell === undefined) return openFence;
  // What belongs to no tenant has the tenant '-', or none.
  const own = new Set(["", "-", ...cell.ownTenants]);
  const refused = new Map<string, { readonly error: StorageError; readonly until: number }>();

  /** The statement is evaluated only after the check. */
  const after =
    (check: "platform_may_read" | "platform_may_write") =>
    (tenantIds: Iterable<string>, sql: string, ...values: readonly unknown[]): Statement => {
      const checked = `SELECT CASE WHEN ${check}($${values.length + 1}::text[]) THEN (${sql}) END`;
      return [checked, ...values, [...new Set(tenantIds)].filter((tenantId) => !own.has(tenantId))];
    };

  return {
    reading: after("platform_may_read"),
    writing: after("platform_may_write"),
    // Those that every cell has contain no items.
    served: (row) => `platform_is_served(${row}.tenant_id)`,

    notice(ref, error) {
      const [tenantId, ...others] = tenantsOf(ref);
      if (!(error instanceof StorageError) || tenantId === undefined || others.length > 0) return;
      // While its writes are paused, a tenant is read.
      if (error.reason !== "not_served") return;
      if (refused.size >= rememberedLimit) refused.clear();
      refused.set(tenantId, { error, until: performance.now() + rememberedMs });
    },

    refusalOf(ref) {
      for (const tenantId of tenantsOf(ref)) {
        const known = refused.get(tenantId);
        if (known === undefined) continue;
        if (known.until > performance.now()) return known.error;
        refused.delete(tenantId);
      }
      return undefined;
    },
  };
}

function tenantsOf(ref: Ref): readonly string[] {
  if (ref.kind !== "records") return [ref.tenantId];
  const { keys, vault } = ref;
  return [...new Set([...keys, ...(vault === undefined ? [] : [vault])].map(({ tenantId }) => tenantId))];
}
