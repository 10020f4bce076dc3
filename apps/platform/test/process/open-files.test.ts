import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { connectionLimits } from "../../src/process/open-files.js";
import { runApp } from "../../src/testing/program.js";
import { temporaryFolder } from "../../src/testing/temporary-folder.js";

const { POSITIVE_INFINITY } = Number;

describe("the connections of the public, the accounts and the MCP listener", () => {
  it.each([
    { allowed: [10_000, 1_000], openFiles: 1_048_576, limits: [10_000, 1_000, 256] },
    { allowed: [10_000, 1_000], openFiles: 1_024, limits: [400, 160, 80] },
    { allowed: [10_000, 100], openFiles: 1_024, limits: [460, 100, 80] },
    { allowed: [10_000, undefined], openFiles: 1_024, limits: [640, 0, 0] },
    { allowed: [100, 1_000], openFiles: 1_024, limits: [100, 160, 80] },
    { allowed: [10_000, 1_000], openFiles: 256, limits: [16, 16, 16] },
    { allowed: [POSITIVE_INFINITY, undefined], openFiles: POSITIVE_INFINITY, limits: [POSITIVE_INFINITY, 0, 0] },
  ])("$allowed allowed, with 256 internal ones and $openFiles open files: $limits", (row) => {
    const [connections = 0, accountsConnections] = row.allowed;
    const accounts =
      accountsConnections === undefined
        ? { accountsTenant: undefined, accountsConnections: 1_000 }
        : { accountsTenant: "acme", accountsConnections };
    const limits = connectionLimits({ limits: { connections }, internalConnections: 256, ...accounts }, row.openFiles);
    expect([limits.public, limits.accounts, limits.mcp]).toEqual(row.limits);
  });

  it("leave file descriptors for the internal listener, however many clients connect to the others", async () => {
    const app = await runApp(
      { DATA_DIR: await temporaryFolder(), DEMO: "off", ACCOUNTS_TENANT: "acme" },
      { under: ["/bin/sh", "-c", 'ulimit -n 500 && exec "$0" "$@"'] },
    );
    const connectTo = (url: string) => connect({ port: Number(new URL(url).port), host: "127.0.0.1" });
    const clients = [app.publicUrl, app.accountsUrl, app.mcpUrl].flatMap((url) =>
      Array.from({ length: 300 }, () => connectTo(url)),
    );
    onTestFinished(() => {
      for (const client of clients) client.destroy();
    });
    let rejected = 0;
    for (const client of clients) client.on("error", () => {}).on("close", () => (rejected += 1));
    await Promise.all(clients.map((client) => once(client, "connect").catch(() => {})));
    // 500 minus 256 for the internal listener and 128 for files.
    await expect.poll(() => rejected).toBe(900 - 116);
    for (let round = 0; round < 20; round += 1) {
      const health = await fetch(`${app.internalUrl}/healthz`, { headers: { Connection: "close" } });
      expect(health.status).toBe(200);
    }
    expect(app.err()).not.toContain("EMFILE");
    expect(await app.stop()).toBe(0);
  });
});
