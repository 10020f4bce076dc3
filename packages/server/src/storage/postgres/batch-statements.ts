import type { CommitPayload } from "./commit-payload.js";
import type { LoadRequest } from "./load-keys.js";
import type { LoadedRecord, LoadedRows } from "./loaded-rows.js";

/** The result of `platform_commit_1`. */
export interface CommitResult {
  readonly stale: readonly number[];
  readonly sequences: readonly (readonly [change: number, sequence: number])[] | null;
}

/** Runs a statement, and returns the only column of its only row. */
type Run = <Result>(sql: string, ...values: readonly unknown[]) => Promise<Result>;

/** Loads the rows of a batch in one statement, and so in one view. */
export async function load(run: Run, { json, records }: LoadRequest): Promise<LoadedRows> {
  if (!records) return run<LoadedRows>("SELECT platform_load_1($1)", json);
  const sql = "SELECT json_build_array(platform_load_1($1), platform_load_records_1($1))";
  const [rows, found] = await run<readonly [LoadedRows, readonly LoadedRecord[] | null]>(sql, json);
  return { ...rows, records: found };
}

/** Compares and commits a batch in one statement. Only a batch with records or OAuth clients calls the functions for them. */
export function commit(run: Run, { json, records }: CommitPayload): Promise<CommitResult> {
  const sql = records
    ? "SELECT platform_write_records_2($1, platform_commit_1(platform_compare_records_1($1)))"
    : "SELECT platform_commit_1($1)";
  return run<CommitResult>(sql, json);
}
