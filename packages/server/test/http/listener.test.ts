import { once } from "node:events";
import { createConnection } from "node:net";
import { bind } from "@platform-rpc/front/bound-socket";
import { VaultService, Visibility } from "@platform-rpc/types";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { jsonDocument } from "../../src/http/documents.js";
import { createHostListener, createListener } from "../../src/http/listener.js";
import type { Routes } from "../../src/services/routes.js";
import { expectRpcError } from "../wire/expect-rpc-error.js";
import { startListener } from "../wire/start-listener.js";
import { startStub } from "../wire/start-stub.js";
import { deleteItemPath } from "../wire/wire-request.js";

const platform = {
  routes: () => {},
  admit: () => {
    throw new Error("not called");
  },
};
const logger = pino({ level: "silent" });

describe("DECISIONS 1: a listener serves the operations of one visibility", () => {
  it("and throws when it is created with an operation of another visibility", () => {
    const routes: Routes = (router) => {
      router.service(VaultService, {});
    };
    const create = (visibility: Visibility) => createListener({ ...platform, routes }, { visibility, logger });
    expect(() => create(Visibility.PRIVATE)).toThrow(/not of the visibility/);
    expect(() => create(Visibility.PUBLIC)).not.toThrow();
  });
});

describe("a listener", () => {
  it("serves operations only under its base path, and documents also at the root, where probes look for them", async () => {
    const documents = new Map([["/readyz", () => jsonDocument(503, { status: "draining" })]]);
    const test = await startStub(() => {}, { basePath: "/api", documents });
    expect((await test.send({ target: `/api${deleteItemPath}`, body: {} })).status).toBe(200);
    expectRpcError(await test.send({ body: {} }), "OPERATION_UNKNOWN");
    expectRpcError(await test.send({ target: `/api/${deleteItemPath}`, body: {} }), "OPERATION_UNKNOWN");
    const get = { verb: "GET", headers: { "Content-Length": undefined } };
    for (const target of ["/api/readyz", "/readyz"]) expect((await test.send({ ...get, target })).status).toBe(503);
    await test.close();
  });

  it("rejects listen() when the address is in use, and can still be closed", async () => {
    const test = await startStub();
    const second = createListener(platform, { logger });
    await expect(second.listen(test.port, "127.0.0.1")).rejects.toMatchObject({ code: "EADDRINUSE" });
    await second.close();
    await test.close();
  });

  it.each(["127.0.0.1", "::1", "::"])(
    "at a socket bound at %s before answers the callers that came in between",
    async (host) => {
      const address = { host, port: 0, backlog: 8, connections: 2 };
      const socket = await bind(address);
      const connect = () => createConnection(socket.address.port, host.replace(/^::$/, "::1"));
      const [early, slow] = [connect(), connect()];
      early.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
      slow.write("GET /");
      const excess = connect().on("error", () => {});
      await once(excess, "close");
      const documents = new Map([["/healthz", jsonDocument(200, { status: "ok" })]]);
      const limits = { receiveTimeoutMs: 50, drainMs: 0 };
      const listener = createHostListener(platform, { logger, documents, limits });
      expect(await listener.serve(socket)).toEqual(socket.address);
      expect(listener.connections).toBe(2);
      expect(String((await once(early, "data"))[0])).toMatch(/^HTTP\/1.1 200 /);
      expect(String((await once(slow, "data"))[0])).toMatch(/^HTTP\/1.1 408 /);
      await Promise.all([listener.close(), once(early, "close")]);
      await socket.close();
      await (await bind({ ...address, port: socket.address.port })).close();
    },
  );

  it("that never answers disconnects the callers of its socket, and frees its port", async () => {
    const socket = await bind({ host: "127.0.0.1", port: 0, backlog: 8, connections: 8 });
    const { port } = socket.address;
    const caller = createConnection(port, "127.0.0.1");
    await once(caller, "connect");
    await Promise.all([socket.close(), once(caller, "close")]);
    await expect(once(createConnection(port, "127.0.0.1"), "connect")).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });

  it("passes URL, headers and method of the request to the handler", async () => {
    const seen: unknown[] = [];
    const test = await startStub((_, { url, requestMethod, requestHeader, protocolName, method }) => {
      seen.push(url, requestMethod, requestHeader.get("x-twice"), protocolName, method.name);
    });
    await test.send({ target: `${deleteItemPath}?x=1`, headers: { "X-Twice": ["a", "b"] }, body: {} });
    expect(seen).toEqual([`${deleteItemPath}?x=1`, "POST", "a, b", "connect", "DeleteItem"]);
    await test.close();
  });

  it("returns INTERNAL if authentication fails unexpectedly, without the cause in the response or the log", async () => {
    const test = await startListener({
      routes: (router) => {
        router.service(VaultService, {});
      },
      admit: () => Promise.reject(new Error("canary")),
    });
    const answer = await test.send({ body: {} });
    expectRpcError(answer, "INTERNAL");
    expect(answer.body + test.logText()).not.toContain("canary");
    await test.close();
  });
});
