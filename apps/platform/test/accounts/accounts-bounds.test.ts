import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { type IncomingHttpHeaders, request } from "node:http";
import { createConnection, type Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assetFolder } from "../../src/listeners/accounts-listener.js";
import { runApp } from "../../src/testing/program.js";
import { newTemporaryFolder } from "../../src/testing/temporary-folder.js";

const consoleAssets = new URL("console/assets/", assetFolder);
const [largest = ""] = readdirSync(consoleAssets)
  .filter((name) => name.endsWith(".js"))
  .toSorted((one, other) => statSync(new URL(other, consoleAssets)).size - statSync(new URL(one, consoleAssets)).size);
const largestAsset = `/console/assets/${largest}`;

let app: Awaited<ReturnType<typeof runApp>>;
let folder: Awaited<ReturnType<typeof newTemporaryFolder>>;
const ends: (() => void)[] = [];
beforeAll(async () => {
  folder = await newTemporaryFolder();
  const environment = {
    DATA_DIR: folder.path,
    DEMO: "off",
    ACCOUNTS_TENANT: "acme",
    WRITE_TIMEOUT_SECONDS: "2",
    // Garbage that V8 has not collected yet would otherwise be most of the measured memory.
    NODE_OPTIONS: "--max-semi-space-size=1",
  };
  app = await runApp(environment, { atEnd: (end) => ends.push(end) });
});
afterAll(async () => {
  await app.stop();
  for (const end of ends) end();
  await folder.remove();
});

function connect(localAddress = "127.0.0.1"): Socket {
  const { port } = new URL(app.accountsUrl);
  return createConnection({ port: Number(port), host: "127.0.0.1", localAddress }).on("error", () => {});
}

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: ${new URL(app.pagesUrl).host}\r\n\r\n`;
}

/** Returns the status of a response on a new connection; empty if the connection was closed. */
async function statusFrom(localAddress: string, path = "/healthz"): Promise<string> {
  const socket = connect(localAddress);
  socket.write(get(path));
  const arrived: unknown = await Promise.race([once(socket, "data"), once(socket, "close").then(() => [""])]);
  socket.destroy();
  return /^HTTP\/1\.1 (\d+)/.exec(String(arrived))?.[1] ?? "";
}

/** Returns the memory of the app, in bytes. */
function residentBytes(): number {
  const pages = Number(readFileSync(`/proc/${app.pid}/statm`, "utf8").split(" ")[1]);
  return pages * 4096;
}

describe("DECISIONS section 9: what waits to be written is bounded for every route", () => {
  it.each([1_000, 16])(
    "two callers that pipeline %d GETs of the largest asset and read nothing cost less than 50 MB",
    async (count) => {
      // The first responses load what every response needs, and the heap grows to the size that many of them need.
      for (let warm = 0; warm < 20; warm += 1) expect(await statusFrom("127.0.0.1", largestAsset)).toBe("200");
      for (let warm = 0; warm < 2_000; warm += 1) expect(await statusFrom("127.0.0.2")).toBe("200");
      const before = residentBytes();
      const callers = [connect(), connect()];
      for (const caller of callers) caller.pause().write(get(largestAsset).repeat(count));
      const closed = callers.map((caller) => new Promise((resolve) => caller.once("close", resolve)));
      let most = before;
      const end = performance.now() + 1_500;
      while (performance.now() < end) {
        expect(await statusFrom("127.0.0.2")).toBe("200");
        most = Math.max(most, residentBytes());
      }
      expect(most - before).toBeLessThan(50_000_000);
      // The write time limit has passed. A paused socket reports the close only once it reads.
      await new Promise((resolve) => setTimeout(resolve, 2_500));
      for (const caller of callers) caller.resume();
      await Promise.all(closed);
    },
  );
});

describe("DECISIONS section 7: connections are bounded for each listener, and no caller can lock others out", () => {
  it("serves 100 newcomers while one address has all 1,000 connections", async () => {
    const held = Array.from({ length: 1_000 }, () => connect());
    for (const socket of held) socket.write(get("/healthz"));
    await Promise.all(held.map((socket) => once(socket, "data")));
    // A connection that was used within the last second makes no room.
    await new Promise((resolve) => setTimeout(resolve, 1_050));
    const statuses: string[] = [];
    for (let count = 0; count < 100; count += 1) statuses.push(await statusFrom("127.0.0.2"));
    expect(statuses).toEqual(statuses.map(() => "200"));
    await expect.poll(() => held.filter(({ closed }) => closed).length).toBeGreaterThan(0);
    for (const socket of held) socket.destroy();
  });
});

describe("an asset", () => {
  const read = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    new Promise<{ status: number | undefined; headers: IncomingHttpHeaders; body: Buffer }>((resolve, reject) => {
      const { hostname, port } = new URL(app.pagesUrl);
      const sent = request({ hostname, port, path, headers }, async (response) => {
        resolve({ status: response.statusCode, headers: response.headers, body: await buffer(response) });
      });
      sent.on("error", reject).end();
    });
  const same = (bytes: Buffer) => bytes;

  it.each([
    ["gzip, deflate, br, zstd", "br", brotliDecompressSync],
    ["br;q=0.1, gzip", "gzip", gunzipSync],
    ["br;q=0, gzip;q=0", undefined, same],
  ])("is sent to a browser that accepts %s with the content coding %s", async (accepted, coding, decode) => {
    for (const path of [largestAsset, "/assets/style.css"]) {
      const file = readFileSync(new URL(`.${path.replace(/^\/assets/, "")}`, assetFolder));
      const { status, headers, body } = await read(path, { "Accept-Encoding": accepted });
      expect([status, headers["content-encoding"]]).toEqual([200, coding]);
      expect(headers["content-length"]).toBe(String(body.length));
      expect(headers.vary).toBe("Accept-Encoding");
      expect(decode(body).equals(file)).toBe(true);
    }
  });

  it("is not sent again to a browser that has it", async () => {
    const path = largestAsset;
    const { headers } = await read(path);
    const etag = String(headers.etag);
    for (const tags of [etag, etag.replace("W/", ""), `"other", ${etag}`, "*"]) {
      expect(await read(path, { "If-None-Match": tags })).toMatchObject({ status: 304, body: Buffer.alloc(0) });
    }
    expect(await read(path, { "If-None-Match": '"other"' })).toMatchObject({ status: 200 });
  });

  it.each([`${largestAsset}.br`, "/assets/../package.json", "/assets/..%2fmain.js"])(
    "is only what a page names: %s is not found",
    async (path) => {
      expect(await read(path)).toMatchObject({ status: 404 });
    },
  );
});
