import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BackupError } from "@platform-rpc/server";
import { afterAll, describe, expect, it } from "vitest";
import { backupRpcError } from "../../src/rpc/maintenance-service.js";
import { call, errorIn } from "../../src/testing/call.js";
import { startTestApp } from "../../src/testing/start-test-app.js";

// The platform backs up SQLite only.
const app = await startTestApp({ DATABASE_URL: "" });
const folder = await mkdtemp(join(tmpdir(), "platform-backup-"));
afterAll(async () => {
  await app.end();
  await rm(folder, { recursive: true });
});

const backUp = (path: string) =>
  call(app.internalUrl, "platform.internal.v1.MaintenanceService/BackUpDatabase", { path }, app.adminToken);

describe("MaintenanceService/BackUpDatabase", () => {
  it("returns the path, the size and the time, and the same answer for a repeated call", async () => {
    const path = join(folder, "backup");
    const made = await backUp(path);
    expect(made.json).toEqual({ path, kibibytes: expect.any(Number), madeAt: expect.stringMatching(/Z$/) });
    expect((await backUp(path)).text).toBe(made.text);
  });

  it("rejects a relative path", async () => {
    expect(errorIn(await backUp("relative"))).toMatchObject({ reason: "INVALID_FIELD", fields: ["path"] });
  });

  it("rejects a file that exists, and a folder that does not", async () => {
    await writeFile(join(folder, "existing"), "");
    expect(errorIn(await backUp(join(folder, "existing")))).toMatchObject({
      status: 409,
      reason: "BACKUP_FILE_EXISTS",
    });
    const nowhere = await backUp(join(folder, "none", "backup"));
    expect(errorIn(nowhere)).toMatchObject({ status: 400, reason: "BACKUP_NOT_WRITABLE" });
    expect(nowhere.text).not.toContain(folder);
  });

  it.each([
    ["in_progress", "BACKUP_IN_PROGRESS"],
    ["failed", "BACKUP_FAILED"],
  ] as const)("%s is the reason %s, with the message of the error", (reason, expected) => {
    const error = backupRpcError(new BackupError(reason, "What happened."));
    expect(error).toMatchObject({ reason: expected, rawMessage: "What happened." });
  });
});

describe("MaintenanceService/ListAuditTrail", () => {
  const list = (position: unknown) =>
    call(app.internalUrl, "platform.internal.v1.MaintenanceService/ListAuditTrail", { position }, app.adminToken);

  it("returns the records and seals as lines, and an empty page after the last position", async () => {
    // The job seals the records of the start.
    await expect.poll(async () => (await list("")).json).toMatchObject({ hasMore: false });
    const { json } = await list("");
    expect(json).toMatchObject({
      lines: expect.any(Array),
      unsealed: expect.any(Number),
      position: expect.any(String),
    });
    expect((await list("999999999999999")).json).toMatchObject({ lines: [], hasMore: false });
  });

  it("rejects a negative position", async () => {
    expect(errorIn(await list("-1"))).toMatchObject({ reason: "INVALID_FIELD", fields: ["position"] });
  });
});
