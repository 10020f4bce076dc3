/**
 * Calls a function of the database, and returns its result.
 *
 * @throws StorageError
 */
export type CallFunction = <Result>(sql: string, ...values: readonly unknown[]) => Promise<Result>;
