/** The database file is held by another storage: a database has one process at a time, and one storage in it. */
export class DatabaseInUse extends Error {
  override readonly name = "DatabaseInUse";

  constructor(
    /** The database file. */
    readonly path: string,
    options?: ErrorOptions,
  ) {
    super(
      `The database file ${path} is in use: another process holds it, and a database is served by one process at a time. ` +
        "Stop that process, or give this one a data directory of its own.",
      options,
    );
  }
}

/** The database file was written by a newer version of this program, which may keep things this one does not know of. */
export class DatabaseTooNew extends Error {
  override readonly name = "DatabaseTooNew";

  constructor(
    /** The database file. */
    readonly path: string,
    /** The schema version of the file. */
    readonly version: number,
    /** The newest schema version that this program knows. */
    readonly newestKnown: number,
  ) {
    super(
      `The database file ${path} has schema version ${version}, and this program knows versions up to ${newestKnown}. ` +
        "It was written by a newer version: start that one, or restore a backup from before the upgrade.",
    );
  }
}
