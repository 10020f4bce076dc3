import type { Stats } from "node:fs";

/** Checks that only the user of this process can use a file of secrets. @throws Error with the command that repairs it. */
export function refuseShared(path: string, { uid, mode }: Pick<Stats, "uid" | "mode">): void {
  // Windows has neither user ids nor modes.
  const user = process.getuid?.();
  if (user === undefined) return;
  const quoted = /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
  if (uid !== user) {
    throw new Error(`${path} belongs to another user (uid ${uid}). Log in again after: rm ${quoted}`);
  }
  if ((mode & 0o077) !== 0) {
    const shown = (mode & 0o777).toString(8).padStart(4, "0");
    throw new Error(
      `${path} can be used by other users (mode ${shown}), who may have copied it. Log in again after: chmod 600 ${quoted}`,
    );
  }
}
