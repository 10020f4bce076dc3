/** The database file is held by another storage: a database has one process at a time, and one storage in it. */
export class DatabaseInUseError extends Error {
  override readonly name = "DatabaseInUseError";

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
export class DatabaseTooNewError extends Error {
  override readonly name = "DatabaseTooNewError";

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

/** The file is a SQLite database of another program. Nothing in it was changed. */
export class DatabaseForeignError extends Error {
  override readonly name = "DatabaseForeignError";

  constructor(
    /** The database file. */
    readonly path: string,
  ) {
    super(
      `The file ${path} is a SQLite database of another program, and was left as it is. ` +
        "Move it away, or give this program a data directory of its own.",
    );
  }
}

/** The database file cannot be read. */
export class DatabaseDamagedError extends Error {
  override readonly name = "DatabaseDamagedError";

  constructor(
    /** The database file. */
    readonly path: string,
    options?: ErrorOptions,
  ) {
    super(
      `The file ${path} cannot be read: it is damaged, or it is no SQLite database. ` +
        "Keep a copy of it and of the file -wal beside it, and restore a backup.",
      options,
    );
  }
}

/** The database file has an older schema, and the disk has no room for the upgrade. Nothing was changed. */
export class DatabaseNotUpgradedError extends Error {
  override readonly name = "DatabaseNotUpgradedError";

  constructor(
    /** The database file. */
    readonly path: string,
    options?: ErrorOptions,
  ) {
    super(
      `The database file ${path} cannot be brought to the schema of this program: the disk is full, and the upgrade needs ` +
        "as much room again as the file has. Make room on that disk and start again, or start the program that wrote the file.",
      options,
    );
  }
}
