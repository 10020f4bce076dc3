import { create, toJsonString } from "@bufbuild/protobuf";
import { DeleteItemResponseSchema } from "@platform-rpc/types";
import { Agent, fetch as undiciFetch } from "undici";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { entries } from "../fixtures/entries.js";
import { serve } from "../fixtures/http-server.js";
import { rejection } from "../fixtures/rejection.js";
import { deletedItem, serveStock } from "../fixtures/stock-server.js";
import { createUndiciFetch } from "./index.js";

const request = { vaultId: "vault-1", itemId: "item-1", baseVersion: 3 };
const longestAnswer = 2 ** 20;
const body = toJsonString(DeleteItemResponseSchema, create(DeleteItemResponseSchema, deletedItem));

describe.each(entries)("createUndiciFetch with $entry, over a socket", ({ createPlatformClient }) => {
  const clientOf = (baseUrl: string, options = {}) =>
    createPlatformClient({ baseUrl, token: "token-1", retry: false, fetch: createUndiciFetch(), ...options });
  const silent = () => serve(() => undefined);

  it.each([{ length: body.length }, { length: undefined }])(
    "keeps the connection, and reads a body with the Content-Length $length",
    async ({ length }) => {
      const sockets = new Set<unknown>();
      const baseUrl = await serve((incoming, response) => {
        sockets.add(incoming.socket);
        const headers = { "X-Twice": ["1", "2"], ...(length !== undefined && { "Content-Length": length }) };
        response.writeHead(200, headers).write(body.slice(0, 9));
        response.end(body.slice(9));
      });
      const dispatcher = new Agent({ connections: 1 });
      onTestFinished(() => dispatcher.close());
      const client = clientOf(baseUrl, { fetch: createUndiciFetch({ dispatcher }) });
      for (let call = 0; call < 3; call += 1) {
        const { item, response } = await client.vault.deleteItem(request);
        expect([item.version, response.status, response.headers.get("X-Twice")]).toEqual([4, 200, "1, 2"]);
      }
      expect(sockets.size).toBe(1);
    },
  );

  it.each([
    { how: "before it begins", answer: () => undefined },
    { how: "in its middle", answer: (write: () => void) => write() },
  ])("closes the connection at the deadline when the response stalls $how", async ({ answer }) => {
    const closed = vi.fn();
    const baseUrl = await serve((_, response) => {
      response.on("close", closed);
      answer(() => void response.writeHead(200, { "Content-Length": 10 }).write("{"));
    });
    const error = await rejection(clientOf(baseUrl, { timeoutMs: 50 }).vault.deleteItem(request));
    expect(error.reason).toBe("DEADLINE_EXCEEDED");
    await vi.waitFor(() => expect(closed).toHaveBeenCalled(), 30_000);
  });

  it("rejects with CANCELED when the caller aborts", async () => {
    const controller = new AbortController();
    const baseUrl = await serve(() => controller.abort());
    const call = clientOf(baseUrl).vault.deleteItem(request, { signal: controller.signal });
    expect((await rejection(call)).reason).toBe("CANCELED");
  });

  it("does not follow a redirect", async () => {
    const followed = vi.fn();
    const target = await serve(followed);
    const baseUrl = await serve((_, response) => response.writeHead(307, { Location: target }).end());
    const error = await rejection(clientOf(baseUrl).vault.deleteItem(request));
    expect([error.reason, error.status]).toEqual(["MALFORMED_RESPONSE", 307]);
    expect(followed).not.toHaveBeenCalled();
  });

  it.each([
    { how: "by its Content-Length", headers: { "Content-Length": longestAnswer + 1 } },
    { how: "in chunks", headers: {} },
  ])("rejects a body over 1 MiB $how, and closes the connection", async ({ headers }) => {
    const closed = vi.fn();
    const baseUrl = await serve((_, response) => {
      response
        .on("close", closed)
        .writeHead(200, headers)
        .write(Buffer.alloc(longestAnswer + 1, " "));
    });
    const { reason } = await rejection(clientOf(baseUrl).vault.deleteItem(request));
    expect(reason).toBe("MALFORMED_RESPONSE");
    await vi.waitFor(() => expect(closed).toHaveBeenCalled(), 30_000);
  });

  it("keeps the code of a network error in the cause", async () => {
    const refused = await rejection(clientOf("http://127.0.0.1:1").vault.deleteItem(request));
    expect(refused).toMatchObject({ reason: "NETWORK_ERROR", code: "unavailable", cause: { code: "ECONNREFUSED" } });
    const baseUrl = await serve((_, response) => response.destroy());
    const broken = await rejection(clientOf(baseUrl).vault.deleteItem(request));
    expect(broken).toMatchObject({ reason: "NETWORK_ERROR", cause: { code: "UND_ERR_SOCKET" } });
  });

  it("rejects a response that ends in its middle", async () => {
    const baseUrl = await serve((_, response) => {
      response.writeHead(200, { "Content-Length": 100 }).write("{", () => response.destroy());
    });
    expect((await rejection(clientOf(baseUrl).vault.deleteItem(request))).reason).toBe("NETWORK_ERROR");
  });

  it("retries, with the same request id", async () => {
    const ids: unknown[] = [];
    const baseUrl = await serve((incoming, response) => {
      ids.push(incoming.headers["x-request-id"]);
      response.writeHead(503).end();
    });
    await rejection(clientOf(baseUrl, { retry: { maxAttempts: 2 } }).vault.deleteItem(request));
    expect([ids.length, new Set(ids).size]).toEqual([2, 1]);
  });

  it("a client also works with the fetch of undici", async () => {
    const baseUrl = await serveStock({ deleteItem: () => deletedItem });
    const client = createPlatformClient({ baseUrl, token: "token-1", fetch: undiciFetch });
    expect((await client.vault.deleteItem(request)).item.version).toBe(4);
    const error = await rejection(
      createPlatformClient({ baseUrl: await silent(), token: "t", fetch: undiciFetch, timeoutMs: 30 }).vault.deleteItem(
        request,
      ),
    );
    expect(error.reason).toBe("DEADLINE_EXCEEDED");
  });
});
