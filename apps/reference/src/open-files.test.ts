import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { publicConnections } from "./open-files.js";
import { runApp } from "./testing/program.js";
import { temporaryFolder } from "./testing/temporary-folder.js";

const { POSITIVE_INFINITY } = Number;

describe("the connections of the public listener", () => {
  it.each([
    { wanted: 10_000, internal: 256, openFiles: 1_048_576, connections: 10_000 },
    { wanted: 10_000, internal: 256, openFiles: 1_024, connections: 640 },
    { wanted: 100, internal: 256, openFiles: 1_024, connections: 100 },
    { wanted: 10_000, internal: 256, openFiles: 256, connections: 16 },
    { wanted: POSITIVE_INFINITY, internal: 256, openFiles: 1_024, connections: 640 },
    {
      wanted: POSITIVE_INFINITY,
      internal: POSITIVE_INFINITY,
      openFiles: POSITIVE_INFINITY,
      connections: POSITIVE_INFINITY,
    },
  ])(
    "$wanted wanted and $internal internal of $openFiles open files: $connections",
    ({ wanted, internal, openFiles, connections }) => {
      expect(publicConnections(wanted, internal, openFiles)).toBe(connections);
    },
  );

  it("leave file descriptors for the internal listener, however many clients connect", async () => {
    const app = await runApp(
      { DATA_DIR: await temporaryFolder(), DEMO: "off" },
      { under: ["/bin/sh", "-c", 'ulimit -n 500 && exec "$0" "$@"'] },
    );
    const { port } = new URL(app.publicUrl);
    const clients = Array.from({ length: 600 }, () => connect({ port: Number(port), host: "127.0.0.1" }));
    onTestFinished(() => {
      for (const client of clients) client.destroy();
    });
    let rejected = 0;
    for (const client of clients) client.on("error", () => {}).on("close", () => (rejected += 1));
    await Promise.all(clients.map((client) => once(client, "connect").catch(() => {})));
    // 500 minus 256 for the internal listener and 128 for files.
    await expect.poll(() => rejected, { timeout: 15_000 }).toBe(600 - 116);
    for (let round = 0; round < 20; round += 1) {
      const health = await fetch(`${app.internalUrl}/healthz`, { headers: { Connection: "close" } });
      expect(health.status).toBe(200);
    }
    expect(app.err()).not.toContain("EMFILE");
    expect(await app.stop()).toBe(0);
  });
});
