import { KeyFileError, StorageError } from "@platform-rpc/server";
import { expect, it } from "vitest";
import { explainStartError } from "./start-error.js";

const systemError = (code: string, message: string) => Object.assign(new Error(message), { code });

it.each(["EEXIST", "ENOTDIR", "ENOENT", "EACCES", "EROFS", "ENOSPC"])("%s names DATA_DIR", (code) => {
  const message = `${code}: it failed, mkdir '/srv/data'`;
  expect(explainStartError(systemError(code, message))).toBe(
    `The platform could not start: ${message}\nCheck that DATA_DIR is a folder that this user can write to, and that its disk has free space.`,
  );
});

const malformed = systemError("ERR_SQLITE_ERROR", "database disk image is malformed");

it.each([
  ["of SQLite, found by a call", { DATA_DIR: "/srv" }, new StorageError("damaged", { cause: malformed })],
  ["of SQLite, found by a command", { DATA_DIR: "/srv" }, malformed],
])("a damaged database %s names the file and the backup", (_, environment, error) => {
  expect(explainStartError(error, environment)).toBe(
    "The database file /srv/platform.sqlite cannot be used: database disk image is malformed\nCheck its disk. If the file is " +
      "damaged, keep a copy of it and of its -wal file, and restore the newest backup with `platform restore FILE`.",
  );
});

it("a file that DATABASE_URL names and that cannot be read names DATABASE_URL", () => {
  const cause = systemError("ENOENT", "ENOENT: no such file or directory, open '/nowhere/ca.pem'");
  const environment = { DATABASE_URL: "postgres://db/platform" };
  expect(explainStartError(new StorageError("unavailable", { cause }), environment)).toBe(
    `The database cannot be used: ${cause.message}\nCheck that it runs, and that DATABASE_URL is right.`,
  );
});

it("shows why the start failed, not what failed while it was undone", () => {
  const thrown = new SuppressedError(
    new StorageError("full"),
    systemError("ENOSPC", "ENOSPC: no space left on device, write"),
  );
  expect(explainStartError(thrown)).toMatch(/^The platform could not start: ENOSPC: no space left on device, write\n/);
});

it("a key file on a full disk needs space, not a backup", () => {
  const cause = systemError("ENOSPC", "ENOSPC: no space left on device, write");
  expect(explainStartError(new KeyFileError("It cannot be written: ENOSPC", { cause }))).toBe(
    "It cannot be written: ENOSPC\nFree space on that disk and start again.",
  );
});
