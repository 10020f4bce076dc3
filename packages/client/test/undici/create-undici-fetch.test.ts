import { create, toJsonString } from "@bufbuild/protobuf";
import { DeleteItemResponseSchema } from "@platform-rpc/types";
import { Agent, fetch as undiciFetch } from "undici";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { rejection } from "../../src/fixtures/rejection.js";
import { createPlatformClient } from "../../src/json/index.js";
import { createUndiciFetch } from "../../src/undici/index.js";
import { serve } from "../fixtures/http-server.js";
import { deletedItem, serveStock } from "../fixtures/stock-server.js";

const request = { vaultId: "vault-1", itemId: "item-1", baseVersion: 3 };
const longestAnswer = 2 ** 20;
const body = toJsonString(DeleteItemResponseSchema, create(DeleteItemResponseSchema, deletedItem));

describe("createUndiciFetch, over a socket", () => {
  const clientOf = (baseUrl: string, options = {}) =>
    createPlatformClient({ baseUrl, token: "token-1", retry: false, fetch: createUndiciFetch(), ...options });

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

  it("does not follow a redirect", async () => {
    const followed = vi.fn();
    const target = await serve(followed);
    const baseUrl = await serve((_, response) => response.writeHead(307, { Location: target }).end());
    const error = await rejection(clientOf(baseUrl).vault.deleteItem(request));
    expect([error.reason, error.status]).toEqual(["MALFORMED_RESPONSE", 307]);
    expect(followed).not.toHaveBeenCalled();
  });

  it("rejects a body over 1 MiB, and closes the connection", async () => {
    const closed = vi.fn();
    const baseUrl = await serve((_, response) => {
      response.on("close", closed).write(Buffer.alloc(longestAnswer + 1, " "));
    });
    const { reason } = await rejection(clientOf(baseUrl).vault.deleteItem(request));
    expect(reason).toBe("MALFORMED_RESPONSE");
    await vi.waitFor(() => expect(closed).toHaveBeenCalled(), 30_000);
  });

  it("a client also works with the fetch of undici", async () => {
    const baseUrl = await serveStock({ deleteItem: () => deletedItem });
    const client = createPlatformClient({ baseUrl, token: "token-1", fetch: undiciFetch });
    expect((await client.vault.deleteItem(request)).item.version).toBe(4);
  });

  it("keeps the code of a network error in the cause", async () => {
    const refused = await rejection(clientOf("http://127.0.0.1:1").vault.deleteItem(request));
    expect(refused).toMatchObject({ reason: "NETWORK_ERROR", code: "unavailable", cause: { code: "ECONNREFUSED" } });
    const baseUrl = await serve((_, response) => response.destroy());
    const broken = await rejection(clientOf(baseUrl).vault.deleteItem(request));
    expect(broken).toMatchObject({ reason: "NETWORK_ERROR", cause: { code: "UND_ERR_SOCKET" } });
  });
});
