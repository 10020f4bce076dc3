import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { replacePrivateFile } from "@platform-rpc/files";
import { createSqliteStorage } from "@platform-rpc/server";
import { expect, it, onTestFinished } from "vitest";
import { backUp } from "../../src/commands/back-up.js";
import { databaseFile } from "../../src/platform/open-storage.js";
import { readSettings } from "../../src/settings/settings.js";
import { temporaryFolder } from "../../src/testing/temporary-folder.js";

const deadlineExceeded = {
  code: "deadline_exceeded",
  message: "The time for the call ran out.",
  details: [{ type: "google.rpc.ErrorInfo", value: "" }],
};

it("calls again when a backup takes longer than one call", async () => {
  const DATA_DIR = await temporaryFolder();
  const storage = createSqliteStorage({ path: databaseFile({ dataDir: DATA_DIR }) });
  onTestFinished(() => storage.close());
  await replacePrivateFile(join(DATA_DIR, "admin.token"), "token");
  const calls: unknown[] = [];
  const server = createServer((request, response) => {
    calls.push(request.headers["connect-timeout-ms"]);
    const late = calls.length < 3;
    response.writeHead(late ? 504 : 200, { "Content-Type": "application/json" });
    response.end(JSON.stringify(late ? deadlineExceeded : { path: "/b", kibibytes: 3 }));
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const [line] = await backUp(readSettings({ DATA_DIR, INTERNAL_PORT: String(port) }), join(DATA_DIR, "b"));
  expect(line).toMatch(/^Backup made: .*b \(3 KiB\)/);
  expect(calls).toEqual(["30000", "30000", "30000"]);
});
