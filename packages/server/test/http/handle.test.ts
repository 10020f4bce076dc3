import { createServer, type RequestListener } from "node:http";
import { listen } from "@platform-rpc/front";
import { VaultService } from "@platform-rpc/types";
import { describe, expect, it, onTestFinished } from "vitest";
import { createListener } from "../../src/http/listener.js";
import { anyCaller } from "../wire/start-listener.js";
import { createLatch } from "../wire/start-stub.js";
import { deleteItemPath } from "../wire/wire-request.js";

const errors: unknown[] = [];
const ends: unknown[] = [];
const latch = createLatch();
const begun = createLatch();
const listener = createListener(
  {
    admit: () => anyCaller,
    routes(router) {
      router.service(VaultService, {
        async deleteItem({ itemId }) {
          if (itemId !== "i-waits") return {};
          begun.open();
          await latch.opened;
          return {};
        },
      });
    },
  },
  {
    logger: { info: () => {}, error: (fields) => errors.push(fields) },
    onRequestEnd: ({ reason }) => ends.push(reason),
  },
);

/** Starts a server of node:http with a request listener, and returns a function that calls it. */
async function start(serve: RequestListener) {
  const server = createServer(serve);
  onTestFinished(() => {
    server.close().closeAllConnections();
  });
  const { port } = await listen(server, { port: 0, host: "127.0.0.1", backlog: 1 });
  const headers = { "Content-Type": "application/json", "Connect-Protocol-Version": "1" };
  return (path = deleteItemPath, body = "{}") =>
    fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", headers, body });
}

describe("listener.handle", () => {
  it("returns INTERNAL if middleware has already read the body, and logs BodyConsumedError", async () => {
    const call = await start(async (request, response) => {
      await request.toArray();
      listener.handle(request, response);
    });
    expect((await call()).status).toBe(500);
    expect(errors).toMatchObject([{ error: "BodyConsumedError" }, { reason: "INTERNAL" }]);
  });

  it("does not begin a call whose caller has already disconnected", async () => {
    const gone = createLatch();
    const call = await start((request, response) => {
      response.on("close", () => {
        listener.handle(request, response);
        gone.open();
      });
      request.socket.destroy();
    });
    const before = ends.length;
    await expect(call("/nowhere")).rejects.toThrow();
    await gone.opened;
    expect(ends.length).toBe(before);
  });

  it("drains on close: running calls finish, new ones are UNAVAILABLE", async () => {
    const call = await start(listener.handle);
    const running = call(deleteItemPath, '{"itemId":"i-waits"}');
    await begun.opened;
    const closed = listener.close();
    expect((await call()).status).toBe(503);
    latch.open();
    expect((await running).status).toBe(200);
    await closed;
  });
});
