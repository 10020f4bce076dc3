/** What a file system says of a file or folder: `fs.Stats` fits. */
export interface Ownership {
  readonly uid: number;
  /** With the type of the file or without. */
  readonly mode: number;
}

/** The user that this process acts as; undefined where there are no such users. */
const thisUser: number | undefined = process.geteuid?.();

const groupOrOthers = 0o077;
const writableByOthers = 0o022;
const sticky = 0o1000;

/**
 * Tells why a file must not be trusted with secrets, and what to run: undefined when only its owner may use it, and its
 * owner is `user` or root.
 */
export function faultOfPrivateFile({ uid, mode }: Ownership, path: string, user = thisUser): string | undefined {
  if (isForeign(uid, user)) {
    return `it belongs to user ${uid}, who may know it; if it is yours, run: chown ${user} ${quoted(path)}`;
  }
  return (mode & groupOrOthers) === 0 ? undefined : `others than its owner may use it; run: chmod 600 ${quoted(path)}`;
}

/**
 * Tells why a folder must not hold secrets, and what to run: undefined when nobody but `user` and root may replace files
 * in it. In a folder with the sticky bit, such as /tmp, users may not replace each other's files.
 */
export function faultOfPrivateFolder({ uid, mode }: Ownership, path: string, user = thisUser): string | undefined {
  if (isForeign(uid, user)) {
    return `its folder belongs to user ${uid}, who may replace it; start as that user, or run: chown ${user} ${quoted(path)}`;
  }
  return (mode & writableByOthers) === 0 || (mode & sticky) !== 0
    ? undefined
    : `others may replace files in its folder; run: chmod go-w ${quoted(path)}`;
}

/** Tells that a folder is missing, and what to run. */
export function missingFolder(path: string): string {
  return `its folder does not exist; run: mkdir -m 700 ${quoted(path)}`;
}

function isForeign(uid: number, user: number | undefined): boolean {
  return user !== undefined && uid !== user && uid !== 0;
}

/** One word of a POSIX shell. */
function quoted(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
