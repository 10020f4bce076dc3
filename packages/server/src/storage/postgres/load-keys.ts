import type { RecordKey } from "../../domain/model/record.js";
import type { Ref } from "../../ports/storage.js";
import type { MissingRow } from "../engine/working-set.js";

/** The argument of `platform_load`: the keys of the rows to load. */
export interface LoadKeys {
  readonly items: {
    readonly t: string;
    readonly v: string;
    readonly i: string;
    readonly p: string | null;
    /** Whether the earlier contents are loaded, too. Default: false. */
    readonly e?: true;
  }[];
  readonly vaults: { readonly t: string; readonly v: string }[];
  readonly records: { readonly t: string; readonly c: string; readonly k: string }[];
}

/** Collects keys, each once. */
export interface KeyCollector {
  /** Adds the rows of a ref's snapshot. */
  addRef(ref: Ref): void;
  addMissing(missing: MissingRow): void;
  size(): number;
  tenants(): Iterable<string>;
  /** Returns the keys as JSON. Lists without keys are absent. */
  toJson(): string;
}

export function createKeyCollector(): KeyCollector {
  const seen = new Set<string>();
  const tenants = new Set<string>();
  const keys: { [List in keyof LoadKeys]?: LoadKeys[List][number][] } = {};
  const add = <List extends keyof LoadKeys>(list: List, key: LoadKeys[List][number]): void => {
    const id = `${list}${JSON.stringify(key)}`;
    if (seen.has(id)) return;
    seen.add(id);
    tenants.add(key.t);
    const found: LoadKeys[List][number][] = keys[list] ?? [];
    found.push(key);
    Object.assign(keys, { [list]: found });
  };

  return {
    addRef(ref) {
      switch (ref.kind) {
        case "item":
          for (const { tenantId: t, vaultId: v, itemId: i, principalId: p = null } of ref.to ? [ref, ref.to] : [ref])
            add("items", { t, v, i, p, ...(ref.earlier === true && { e: true }) });
          if (ref.record !== undefined) add("records", recordKey(ref.record));
          return;
        case "vault":
          add("vaults", { t: ref.tenantId, v: ref.vaultId });
          return;
        case "records":
          for (const key of ref.keys) add("records", recordKey(key));
          if (ref.vault !== undefined) add("vaults", { t: ref.vault.tenantId, v: ref.vault.vaultId });
          return;
      }
    },

    addMissing({ table, key }) {
      const [t = "", second = "", third = ""] = key;
      switch (table) {
        case "items":
          add("items", { t, v: second, i: third, p: null });
          return;
        case "earlier":
          add("items", { t, v: second, i: third, p: null, e: true });
          return;
        case "members":
          // No item has an empty id, so this loads the member only.
          add("items", { t, v: second, i: "", p: third });
          return;
        case "vaults":
          add("vaults", { t, v: second });
          return;
        case "records":
          add("records", { t, c: second, k: third });
          return;
      }
    },

    size: () => seen.size,
    tenants: () => tenants,
    toJson: () => JSON.stringify(keys),
  };
}

/** Returns the keys that load records without those that they link to, as JSON. */
export function recordKeys(keys: readonly RecordKey[]): string {
  return JSON.stringify({ depth: 0, records: keys.map(recordKey) });
}

function recordKey({ tenantId, collection, key }: RecordKey): LoadKeys["records"][number] {
  return { t: tenantId, c: collection, k: key };
}
