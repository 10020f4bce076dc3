/** Thrown when data was not copied from SQLite to PostgreSQL. */
export class DataCopyError extends Error {
  override readonly name = "DataCopyError";

  constructor(
    /**
     * - `no_source`: the file does not exist, or does not have the newest schema.
     * - `source_damaged`: a row of the source is damaged.
     * - `other_keys`: the source was last used with other keys.
     * - `target_failed`: PostgreSQL cannot be reached, or a statement failed; `cause` is the error of the driver.
     * - `target_not_empty`: the target contains data that is not a copy of this source.
     * - `mismatch`: the rows of the target differ from those of the source.
     */
    readonly reason: "no_source" | "source_damaged" | "other_keys" | "target_failed" | "target_not_empty" | "mismatch",
    /** What happened, where, and what to do. */
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
