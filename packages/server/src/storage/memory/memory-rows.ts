import type { AuditRow, AuditSeal } from "../../domain/audit-seal.js";
import type { DecisionRows, TableName } from "../engine/working-set.js";

/** The key and the value of a table's rows. */
type KeyOf<Table extends TableName> = Parameters<DecisionRows[Table]["get"]>;
type RowOf<Table extends TableName> = NonNullable<ReturnType<DecisionRows[Table]["get"]>>;

/** Everything that a storage in memory stores. */
export type MemoryRows = ReturnType<typeof createMemoryRows>;

export function createMemoryRows() {
  let undo: (() => void)[] = [];
  const audit: AuditRow[] = [];
  const seals: AuditSeal[] = [];

  // Rows are replaced, never changed, so that a write can be undone.
  function table<Table extends TableName>() {
    const rows = new Map<string, RowOf<Table>>();
    const put = (id: string, row: RowOf<Table> | undefined) =>
      row === undefined ? rows.delete(id) : rows.set(id, row);
    const get = (...key: KeyOf<Table>) => rows.get(JSON.stringify(key));
    return {
      get,
      peek: get,
      set(key: KeyOf<Table>, row: RowOf<Table> | undefined): void {
        const id = JSON.stringify(key);
        const before = rows.get(id);
        undo.push(() => put(id, before));
        put(id, row);
      },
      all: (): readonly RowOf<Table>[] => [...rows.values()],
    };
  }

  return {
    vaults: table<"vaults">(),
    members: table<"members">(),
    items: table<"items">(),
    records: table<"records">(),
    newVaultFloor: 0,
    /** The audit trail. The position of a row is its index, plus 1. */
    audit,
    seals,
    /** Makes a change. If it throws, all rows are as before. */
    atomically<Result>(change: () => Result): Result {
      undo = [];
      const { length } = audit;
      try {
        return change();
      } catch (error) {
        for (const step of undo.reverse()) step();
        audit.length = length;
        throw error;
      }
    },
  };
}
