import type { RequestListener, ServerResponse } from "node:http";
import { createGzip, gzipSync } from "node:zlib";
import { create, toJsonString } from "@bufbuild/protobuf";
import { DeleteItemResponseSchema } from "@platform-rpc/types";
import { describe, expect, it, vi } from "vitest";
import { rejection } from "../../src/fixtures/rejection.js";
import { createPlatformClient } from "../../src/json/index.js";
import { serve } from "../fixtures/http-server.js";
import { deletedItem } from "../fixtures/stock-server.js";

const request = { vaultId: "vault-1", itemId: "item-1", baseVersion: 3 };
const longestAnswer = 2 ** 20;
/** Bytes: what the servers here would send, if nobody hung up on them. */
const endless = 300 * 2 ** 20;
const chunk = Buffer.alloc(2 ** 16, " ");

/** Writes spaces, as fast as they are read, until `endless` is reached or the stream is closed. Returns what was written. */
function pour(
  into: NodeJS.WritableStream,
  response: ServerResponse,
): { readonly written: number; readonly over: boolean } {
  const poured = { written: 0, over: false };
  const go = () => {
    while (!poured.over && poured.written < endless) {
      poured.written += chunk.length;
      if (!into.write(chunk)) return void into.once("drain", go);
    }
    if (!poured.over) into.end();
  };
  response.on("close", () => {
    poured.over = true;
  });
  go();
  return poured;
}

const call = async (baseUrl: string) =>
  createPlatformClient({ baseUrl, token: "token-1", timeoutMs: 60_000, retry: false }).vault.deleteItem(request);

describe.each([200, 503])("a response with status %d that is larger than 1 MiB", (status) => {
  const expected = { reason: "MALFORMED_RESPONSE", code: status === 503 ? "unavailable" : "unknown" };

  it("is rejected while it arrives in chunks", async () => {
    const answers: ReturnType<typeof pour>[] = [];
    const baseUrl = await serve((_, response) => {
      response.writeHead(status, { "Content-Type": "application/json" });
      answers.push(pour(response, response));
    });
    expect(await rejection(call(baseUrl))).toMatchObject(expected);
    await vi.waitFor(() => expect(answers[0]?.over).toBe(true), 30_000);
    expect(answers[0]?.written).toBeLessThan(endless / 4);
  });

  it("is rejected while it is decompressed (RFC 9110 section 8.4)", async () => {
    const answers: ReturnType<typeof pour>[] = [];
    const baseUrl = await serve((_, response) => {
      response.writeHead(status, { "Content-Type": "application/json", "Content-Encoding": "gzip" });
      const gzip = createGzip();
      gzip.pipe(response);
      answers.push(pour(gzip, response));
    });
    expect(await rejection(call(baseUrl))).toMatchObject(expected);
    await vi.waitFor(() => expect(answers[0]?.over).toBe(true), 30_000);
    expect(answers[0]?.written).toBeLessThan(endless);
  });
});

describe("a response of 1 MiB is read, one of 1 MiB and one byte is rejected", () => {
  const whole = toJsonString(DeleteItemResponseSchema, create(DeleteItemResponseSchema, deletedItem));
  const listeners: { how: string; answering: (body: string) => RequestListener }[] = [
    { how: "with Content-Length", answering: (body) => (_, response) => response.end(body) },
    {
      how: "in chunks",
      answering: (body) => (_, response) => response.writeHead(200).write(body, () => response.end()),
    },
    {
      how: "compressed",
      answering: (body) => (_, response) => response.setHeader("Content-Encoding", "gzip").end(gzipSync(body)),
    },
  ];

  it.each(listeners)("$how", async ({ answering }) => {
    const longest = await serve(answering(whole.padEnd(longestAnswer)));
    expect((await call(longest)).item.version).toBe(4);
    const longer = await serve(answering(whole.padEnd(longestAnswer + 1)));
    expect((await rejection(call(longer))).reason).toBe("MALFORMED_RESPONSE");
  });
});

it("reads characters that are split between two chunks", async () => {
  const bytes = Buffer.from(JSON.stringify({ status: "süß 🔑", expiresInSeconds: 1 }));
  const baseUrl = await serve((_, response) => {
    const rest = [...bytes].map((byte) => Buffer.from([byte]));
    const next = () => {
      const piece = rest.shift();
      if (piece === undefined) response.end();
      else response.write(piece, () => setImmediate(next));
    };
    next();
  });
  const client = createPlatformClient({ baseUrl, token: "token-1" });
  const { status } = await client.identityGateway.exchangeMcpOauthDeviceAuthorization({ deviceCode: "pdc_1" });
  expect(status).toBe("süß 🔑");
});

it("reads the response of a fetch without streams", async () => {
  const fetch = async () => {
    const response = new Response(
      toJsonString(DeleteItemResponseSchema, create(DeleteItemResponseSchema, deletedItem)),
    );
    return Object.defineProperty(response, "body", { value: undefined });
  };
  const client = createPlatformClient({ baseUrl: "https://api.example.com", token: "token-1", fetch });
  expect((await client.vault.deleteItem(request)).item.version).toBe(4);
});
