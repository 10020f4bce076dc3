import { Server } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { startListener } from "./start-listener.js";
import { startStub } from "./start-stub.js";
import { describeWith, fastHandshakes } from "./test-server.js";
import { requestBytes } from "./wire-request.js";

const large = Buffer.alloc(32 * 1024 * 1024, "x");
const documents = new Map([["/large", { status: 200, contentType: "application/octet-stream", body: large }]]);
const readLarge = requestBytes({ verb: "GET", target: "/large", headers: { "Content-Length": undefined } });

/** Lets the test set the time that connections are idle, and that responses make no progress. */
function fakeTime(): void {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
}

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

  it("closes connections of unauthenticated callers that read nothing, and serves others again", async () => {
    fakeTime();
    const test = await startListener({
      routes: () => {},
      documents,
      limits: { connections: 20, writeTimeoutMs: 200 },
    });
    const callers = Array.from({ length: 20 }, () => test.connectDeaf());
    const closed = callers.map((caller) => new Promise((resolve) => caller.once("close", resolve)));
    for (const caller of callers) caller.write(readLarge);
    while (test.logText().split('"status":200').length <= 20) await new Promise(setImmediate);
    expect(await test.connect().closed).toBe("");
    const get = { verb: "GET", target: "/nowhere", headers: { "Content-Length": undefined } };
    const status = async () => {
      vi.advanceTimersByTime(200);
      return (await test.send(get).catch(() => undefined))?.status;
    };
    await expect.poll(status, { timeout: 15_000 }).toBe(404);
    // A paused socket reports the close only once it reads.
    for (const caller of callers) caller.resume();
    await Promise.all(closed);
    await test.close();
  });

  it("has a backlog of 4096, and logs connections that cannot be accepted once", async () => {
    const listen = vi.spyOn(Server.prototype, "listen");
    const test = await startStub();
    expect(listen).toHaveBeenCalledWith(expect.objectContaining({ backlog: 4096 }));
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
    const test = await startStub(() => {}, { limits: { receiveTimeoutMs: 500, drainMs: 100, connections: 1_000 } });
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
    expect(most).toBeLessThanOrEqual(50);
    await Promise.all(late.map((connection) => connection.answer()));
    await test.close();
  });
});
