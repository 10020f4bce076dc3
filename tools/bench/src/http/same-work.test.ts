import { createServer, type Server } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { deleteItemRequest } from "../load/request.ts";
import { fixtureResponse } from "../platform/fixture.ts";
import { addressOf } from "../platform/start-servers.ts";
import { differences, requireLogLines, requireSameAnswers } from "./same-work.ts";
import type { ServerName } from "./servers.ts";

describe("differences are paths", () => {
  it.each([
    ["none", { a: [1, { b: null }] }, { a: [1, { b: null }] }, []],
    ["a value", { a: { b: 1 }, c: 2 }, { a: { b: "1" }, c: 2 }, ["a.b"]],
    ["missing and additional fields", { a: 1 }, { b: 1 }, ["a", "b"]],
    ["an element of a list", { a: [1, 2] }, { a: [1, 3] }, ["a.1"]],
    ["a list of another length", [1], [1, 2], ["1"]],
    ["another kind of value", { a: {} }, { a: 1 }, ["a"]],
  ])("%s", (_case, expected, actual, paths) => {
    expect(differences(expected, actual)).toEqual(paths);
  });

  it("an ignored path may have another value, but must not be missing", () => {
    expect(differences({ at: 1, of: { b: 1 } }, { at: 2, of: { b: 1 } }, ["at"])).toEqual([]);
    expect(differences({ at: 1 }, {}, ["at"])).toEqual(["at"]);
  });
});

describe("a run starts only if all servers give the same answer", () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close().closeAllConnections();
  });

  const good = { status: 200, type: "application/json", change: (_: ReturnType<typeof fixtureResponse>): object => _ };

  /** Starts a server that echoes the requested item, except for what `changed` changes. */
  async function candidate(name: ServerName, changed: Partial<typeof good> = {}) {
    const { status, type, change } = { ...good, ...changed };
    const server = createServer(async (request, response) => {
      const { itemId } = JSON.parse((await request.toArray()).join(""));
      const body = JSON.stringify(change(fixtureResponse(itemId)));
      response.writeHead(status, { "Content-Type": type, "Content-Length": Buffer.byteLength(body) }).end(body);
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const target = { port: addressOf(server.address()).port, loggedLines: () => 0 };
    return { name, target, requests: ["item-0", "item-1"].map((item) => deleteItemRequest("vault-0", item, "t")) };
  }

  it("accepts the same JSON in another order, with a charset", async () => {
    const reordered = await candidate("hono", {
      type: "application/json; charset=utf-8",
      change: ({ item, cursor }) => ({ cursor, item }),
    });
    await expect(requireSameAnswers([await candidate("bare"), reordered])).resolves.toBeUndefined();
  });

  it.each([
    ["another value", { change: ({ cursor }: { cursor: object }) => ({ item: {}, cursor }) }, /Hono.*body\.item\./],
    ["always the same item", { change: () => fixtureResponse("item-0") }, /Hono.*body\.item\.itemId/],
    ["another media type", { type: "text/plain" }, /Hono.*contentType/],
    ["another status", { status: 201 }, /Hono.*status/],
  ])("rejects %s", async (_case, changed, message) => {
    await expect(requireSameAnswers([await candidate("bare"), await candidate("hono", changed)])).rejects.toThrow(
      message,
    );
  });

  it("rejects equal errors", async () => {
    const failing = { status: 503 };
    await expect(
      requireSameAnswers([await candidate("bare", failing), await candidate("hono", failing)]),
    ).rejects.toThrow(/"bare node:http" answers with an error/);
  });

  it("deletions differ in their time and their position in the history, and in nothing else", async () => {
    const later = (sequence: number, version: number) => ({
      change: ({ item, cursor }: ReturnType<typeof fixtureResponse>) => ({
        item: { ...item, updatedAt: "2026-10-01T00:00:00.000Z", version },
        cursor: { ...cursor, sequence },
      }),
    });
    const bare = await candidate("bare");
    await expect(requireSameAnswers([bare, await candidate("retry", later(9, 2))])).resolves.toBeUndefined();
    await expect(requireSameAnswers([bare, await candidate("retry", later(9, 3))])).rejects.toThrow(/item\.version/);
  });
});

describe("after a run, the logs show that the servers did the same work", () => {
  const withLog = (name: ServerName, lines: number) => ({
    name,
    target: { port: 0, loggedLines: () => lines },
    requests: [],
  });

  it.each([
    [
      "each request is logged, and a few before the measurement",
      [withLog("bare", 0), withLog("platform", 1064)],
      undefined,
    ],
    ["a line is missing", [withLog("platform", 999)], /"our listener, everything on" has logged 999 lines/],
    ["a server without a log has written one", [withLog("listener", 1)], /"our listener" has logged 1 lines/],
  ])("%s", (_case, candidates, message) => {
    const check = () => requireLogLines(candidates, 1000);
    if (message === undefined) check();
    else expect(check).toThrow(message);
  });
});
