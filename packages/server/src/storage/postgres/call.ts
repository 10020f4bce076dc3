/**
 * Calls a function of the database, and returns its result. Tries again only while the call certainly had no effect.
 *
 * @throws StorageError
 */
export type Call = <Result>(sql: string, ...values: readonly unknown[]) => Promise<Result>;
