import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeKeyValueStore } from "@platform-rpc/server/testing";
import { onTestFinished } from "vitest";
import { openSqliteStore } from "./own-storage.js";

describeKeyValueStore("one table in SQLite", async () => {
  const folder = mkdtempSync(join(tmpdir(), "own-storage-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return () => openSqliteStore(join(folder, "platform.sqlite"));
});
