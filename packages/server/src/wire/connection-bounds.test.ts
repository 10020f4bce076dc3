import { Server } from "node:net";
import { createUnreadResponses } from "@platform-rpc/front";
import { describe, expect, it, vi } from "vitest";
import { defaultLimits } from "../http/limits.js";
import { startListener } from "./start-listener.js";
import { startStub } from "./start-stub.js";
import { describeWith, fastHandshakes } from "./test-server.js";
import { requestBytes } from "./wire-request.js";

const large = Buffer.alloc(32 * 1024 * 1024, "x");
const documents = new Map([["/large", { status: 200, contentType: "application/octet-stream", body: large }]]);
const readLarge = requestBytes({ verb: "GET", target: "/large", headers: { "Content-Length": undefined } });

describe("DECISIONS 7: connections are limited for each listener", () => {
  it("closes a connection over the limit immediately, until another one has closed", async () => {
    const test = await startStub(() => {}, { limits: { connections: 2 } });
    const [first, second] = [test.connect(), test.connect()];
    for (const connection of [first, second]) {
      connection.send(requestBytes({ body: {} }));
      expect((await connection.answer()).status).toBe(200);
    }
    expect(await test.connect().closed).toBe("");
    first.destroy();
    await expect.poll(async () => (await test.send({ body: {} }).catch(() => undefined))?.status).toBe(200);
    second.send(requestBytes({ body: {} }));
    expect((await second.answer()).status).toBe(200);
    await test.close();
  });

  it("a new connection takes the place of the one that has been idle longest at the address with the most", async () => {
    const test = await startStub(() => {}, { limits: { connections: 3 } });
    const other = test.connect("127.0.0.2");
    const [first, second] = [test.connect(), test.connect()];
    for (const connection of [other, first, second]) {
      connection.send(requestBytes({ body: {} }));
      expect((await connection.answer()).status).toBe(200);
    }
    // A connection that was used within the last second keeps its place.
    await new Promise((resolve) => setTimeout(resolve, 1_050));
    const newcomer = test.connect("127.0.0.3");
    newcomer.send(requestBytes({ body: {} }));
    expect((await newcomer.answer()).status).toBe(200);
    await first.closed;
    for (const connection of [other, second]) {
      connection.send(requestBytes({ body: {} }));
      expect((await connection.answer()).status).toBe(200);
    }
    await test.close();
  });

  it("closes a connection over the limit of its address immediately, and serves other addresses", async () => {
    const test = await startStub(() => {}, { limits: { connectionsPerAddress: 1 } });
    const first = test.connect();
    first.send(requestBytes({ body: {} }));
    expect((await first.answer()).status).toBe(200);
    const second = test.connect();
    second.send(requestBytes({ body: {} }));
    expect(await second.closed).toBe("");
    const elsewhere = test.connect("127.0.0.2");
    elsewhere.send(requestBytes({ body: {} }));
    expect((await elsewhere.answer()).status).toBe(200);
    first.destroy();
    await expect.poll(async () => (await test.send({ body: {} }).catch(() => undefined))?.status).toBe(200);
    await test.close();
  });

  it("closes connections of unauthenticated callers that read nothing, and serves others again", async () => {
    const test = await startListener({
      routes: () => {},
      documents,
      limits: { connections: 20, writeTimeoutMs: 1_000 },
    });
    const callers = Array.from({ length: 20 }, () => test.connectDeaf());
    const closed = callers.map((caller) => new Promise((resolve) => caller.once("close", resolve)));
    for (const caller of callers) caller.write(readLarge);
    while (test.logText().split('"status":200').length <= 20) await new Promise(setImmediate);
    expect(await test.connect().closed).toBe("");
    const get = { verb: "GET", target: "/nowhere", headers: { "Content-Length": undefined } };
    await expect.poll(async () => (await test.send(get).catch(() => undefined))?.status, { timeout: 15_000 }).toBe(404);
    // A paused socket reports the close only once it reads.
    for (const caller of callers) caller.resume();
    await Promise.all(closed);
    await test.close();
  });

  it("DECISIONS 9: over the bytes of all unread responses, the slowest readers are ended, also of another listener", async () => {
    // A document is shared by its readers: only one piece of it waits for each.
    const unread = createUnreadResponses(2.5 * defaultLimits.pieceBytes);
    const options = { routes: () => {}, documents, unread };
    const both = [await startListener(options), await startListener(options)];
    for (const [index, test] of [...both, ...both, ...both].entries()) {
      test.connectDeaf().write(readLarge);
      while (
        both
          .map((one) => one.logText())
          .join("")
          .split('"status":200').length <=
        index + 1
      ) {
        await new Promise(setImmediate);
      }
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

  it("has a backlog of 4096, and logs connections that cannot be accepted once", async () => {
    const listen = vi.spyOn(Server.prototype, "listen");
    const test = await startStub();
    expect(listen).toHaveBeenCalledWith(expect.objectContaining({ backlog: 4096 }), expect.anything());
    const [server] = listen.mock.contexts;
    listen.mockRestore();

    // What node:net reports when a connection cannot be accepted; without a listener it would end the process.
    const error = Object.assign(new Error("accept EMFILE"), { code: "EMFILE" });
    if (!(server instanceof Server)) throw new Error("listen was not called on a server");
    for (let round = 0; round < 3; round += 1) server.emit("error", error);
    expect((await test.send({ body: {} })).status).toBe(200);
    expect(test.logText().match(/"code":"EMFILE".*"connections cannot be accepted"/g)).toHaveLength(1);
    await test.close();
  });
});

describeWith(fastHandshakes, "connections that time out at the same time", () => {
  it("get their errors in small groups, so that others are served in between", async () => {
    const test = await startStub(() => {}, { limits: { receiveTimeoutMs: 500, connections: 1_000 } });
    const late = Array.from({ length: 100 }, () => test.connect());
    for (const connection of late) connection.send("POST / HT");
    const logged = () => test.logText().split("REQUEST_TIMEOUT").length - 1;
    // No connection can time out earlier, and the loop below takes a whole core.
    await new Promise((resolve) => setTimeout(resolve, 450));
    let [before, most] = [0, 0];
    while (before < late.length) {
      await new Promise(setImmediate);
      const now = logged();
      most = Math.max(most, now - before);
      before = now;
    }
    expect(most).toBeLessThanOrEqual(25);
    await Promise.all(late.map((connection) => connection.answer()));
    await test.close();
  });
});
