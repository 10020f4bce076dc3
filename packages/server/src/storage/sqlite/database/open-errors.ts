/** Thrown when another storage uses the database file. Only one process, with one storage, can use it at a time. */
export class DatabaseInUseError extends Error {
  override readonly name = "DatabaseInUseError";

  constructor(
    readonly path: string,
    options?: ErrorOptions,
  ) {
    super(
      `The database file ${path} is in use by another process, and only one process at a time can serve a database. ` +
        "Stop that process, or give this one another data directory.",
      options,
    );
  }
}

/** Thrown when a newer version of this program wrote the database file, which may contain data unknown to this one. */
export class DatabaseTooNewError extends Error {
  override readonly name = "DatabaseTooNewError";

  constructor(
    readonly path: string,
    /** The schema version of the file. */
    readonly version: number,
    /** The newest schema version that this program supports. */
    readonly newestKnown: number,
  ) {
    super(
      `The database file ${path} has schema version ${version}, and this program supports versions up to ${newestKnown}. ` +
        "A newer version of the program wrote it: start that version, or restore a backup from before the upgrade.",
    );
  }
}

/** Thrown when a development version of this program, from before its first release, wrote the database file. */
export class DatabaseTooOldError extends Error {
  override readonly name = "DatabaseTooOldError";

  constructor(
    readonly path: string,
    /** The schema version of the file. */
    readonly version: number,
  ) {
    super(
      `The file ${path} has schema version ${version}, of a development version of this program, and cannot be opened: ` +
        "move it away, or give this program another data directory.",
    );
  }
}

/** Thrown when the file is a SQLite database of another program. The file was not changed. */
export class DatabaseForeignError extends Error {
  override readonly name = "DatabaseForeignError";

  constructor(readonly path: string) {
    super(
      `The file ${path} is a SQLite database of another program. It was not changed. ` +
        "Move it away, or give this program another data directory.",
    );
  }
}

/** Thrown when the database file cannot be read. */
export class DatabaseDamagedError extends Error {
  override readonly name = "DatabaseDamagedError";

  constructor(
    readonly path: string,
    options?: ErrorOptions,
    /** What was found. */
    readonly found = "cannot be read: it is damaged, or not a SQLite database",
  ) {
    super(`The file ${path} ${found}. Keep a copy of it and of its -wal file, and restore a backup.`, options);
  }
}

/** Thrown when a new database cannot be created because the disk is full. */
export class DatabaseNotCreatedError extends Error {
  override readonly name = "DatabaseNotCreatedError";

  constructor(
    readonly path: string,
    options?: ErrorOptions,
  ) {
    super(
      `The database file ${path} cannot be created: the disk is full. Free space on that disk and start again.`,
      options,
    );
  }
}

/** Thrown when the database file has an older schema and the disk is too full for the upgrade. Nothing was changed. */
export class DatabaseNotUpgradedError extends Error {
  override readonly name = "DatabaseNotUpgradedError";

  constructor(
    readonly path: string,
    options?: ErrorOptions,
  ) {
    super(
      `The database file ${path} cannot be upgraded to the schema of this program: the disk is full, and the upgrade needs ` +
        "as much free space as the file uses. Free space on that disk and start again, or start the program that wrote the file.",
      options,
    );
  }
}
