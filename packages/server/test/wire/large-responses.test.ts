import { createUnreadResponses } from "@platform-rpc/front";
import { describe, expect, it } from "vitest";
import { defaultLimits } from "../../src/http/limits.js";
import { startListener } from "./start-listener.js";
import { requestBytes } from "./wire-request.js";

const large = Buffer.alloc(32 * 1024 * 1024, "x");
const documents = new Map([["/large", { status: 200, contentType: "application/octet-stream", body: large }]]);
const readLarge = requestBytes({ verb: "GET", target: "/large", headers: { "Content-Length": undefined } });

describe("large responses", () => {
  it("DECISIONS 9: over the bytes of all unread responses, the slowest readers are ended, also of another listener", async () => {
    // A document is shared by its readers: only one piece of it waits for each.
    const unread = createUnreadResponses(2.5 * defaultLimits.pieceBytes);
    const options = { routes: () => {}, documents, unread, limits: { drainMs: 100 } };
    const both = [await startListener(options), await startListener(options)];
    const answered = () => both.flatMap((test) => test.logText().match(/"status":200/g) ?? []).length;
    for (const [index, test] of [...both, ...both, ...both].entries()) {
      test.connectDeaf().write(readLarge);
      while (answered() <= index) await new Promise(setImmediate);
    }
    // Two pieces fit, and a third would not.
    await expect.poll(() => both.reduce((sum, { listener }) => sum + listener.connections, 0)).toBe(2);
    for (const test of both) await test.close();
  });

  it("sends a large response completely, in pieces", async () => {
    const test = await startListener({ routes: () => {}, documents });
    const read = async (verb: string) => {
      const headers = { "Content-Length": undefined, Connection: "close" };
      const socket = test.connectDeaf();
      socket.write(requestBytes({ verb, target: "/large", headers }));
      const received = Buffer.concat(await socket.toArray());
      const end = received.indexOf("\r\n\r\n");
      return { head: received.toString("latin1", 0, end), body: received.subarray(end + 4) };
    };
    expect((await read("GET")).body.equals(large)).toBe(true);
    const { head, body } = await read("HEAD");
    expect(head).toContain(`\r\nContent-Length: ${large.length}`);
    expect(body.length).toBe(0);
    await test.close();
  });

  it("a caller that reads slowly, for longer than the write timeout, gets the whole answer", async () => {
    const test = await startListener({ routes: () => {}, documents, limits: { writeTimeoutMs: 3_000 } });
    const socket = test.connectDeaf();
    socket.write(requestBytes({ verb: "GET", target: "/large", headers: { "Content-Length": undefined } }));
    let received = 0;
    while (received < large.length) {
      const chunk: Buffer | null = socket.read();
      received += chunk?.length ?? 0;
      // Together far longer than the write timeout: the socket buffers hold a few megabytes.
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (socket.destroyed) break;
    }
    expect(received).toBeGreaterThanOrEqual(large.length);
    await test.close();
  });
});
