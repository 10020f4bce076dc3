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

it("a file that DATABASE_URL names and that cannot be read names DATABASE_URL", () => {
  const cause = systemError("ENOENT", "ENOENT: no such file or directory, open '/nowhere/ca.pem'");
  expect(explainStartError(new StorageError("unavailable", { cause }))).toBe(
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
