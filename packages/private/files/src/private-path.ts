/** The owner and mode of a file or folder, as in `fs.Stats`. */
export interface Ownership {
  readonly uid: number;
  /** With or without the file type. */
  readonly mode: number;
}

/** The effective user of this process; undefined on platforms without user ids. */
const thisUser: number | undefined = process.geteuid?.();

const groupOrOthers = 0o077;
const writableByOthers = 0o022;
const sticky = 0o1000;

/**
 * Returns why a file is not private, with the command to run. Undefined when the file is private: only its owner may use it, and
 * the owner is `user` or root.
 */
export function privateFileProblem({ uid, mode }: Ownership, path: string, user = thisUser): string | undefined {
  if (isForeign(uid, user)) {
    return `it belongs to user ${uid}, who may have read it; if it is yours, run: chown ${user} ${quoted(path)}`;
  }
  return (mode & groupOrOthers) === 0
    ? undefined
    : `users other than its owner may use it; run: chmod 600 ${quoted(path)}`;
}

/**
 * Returns why a folder is not safe for secrets, with the command to run. Undefined when only `user` and root may replace
 * files in it. In a folder with the sticky bit, such as /tmp, users may not replace each other's files.
 */
export function privateFolderProblem({ uid, mode }: Ownership, path: string, user = thisUser): string | undefined {
  if (isForeign(uid, user)) {
    return `its folder belongs to user ${uid}, who may replace it; start as that user, or run: chown ${user} ${quoted(path)}`;
  }
  return (mode & writableByOthers) === 0 || (mode & sticky) !== 0
    ? undefined
    : `others may replace files in its folder; run: chmod go-w ${quoted(path)}`;
}

/**
 * Returns how other users can use a file of secrets, and the command that ends it. Undefined: only the user of this process can. Windows
 * has neither user ids nor modes.
 */
export function sharingProblem({ uid, mode }: Ownership, path: string) {
  const user = process.getuid?.();
  if (user === undefined) return undefined;
  if (uid !== user) return { how: `belongs to another user (uid ${uid})`, command: `rm ${quoted(path)}` };
  if ((mode & groupOrOthers) === 0) return undefined;
  const shown = (mode & 0o777).toString(8).padStart(4, "0");
  return {
    how: `can be used by other users (mode ${shown}), who may have copied it`,
    command: `chmod 600 ${quoted(path)}`,
  };
}

/** Returns the message for a missing folder, with the command to run. */
export function missingFolderProblem(path: string): string {
  return `its folder does not exist; run: mkdir -m 700 ${quoted(path)}`;
}

function isForeign(uid: number, user: number | undefined): boolean {
  return user !== undefined && uid !== user && uid !== 0;
}

/** Quotes a text as one word of a POSIX shell. */
function quoted(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
