import { afterAll, describe, expect, it } from "vitest";
import { expectRpcError } from "./expect-rpc-error.js";
import { startPlatform } from "./start-platform.js";
import { requestBytes } from "./wire-request.js";

const test = await startPlatform({ queueLimit: 50 });
afterAll(test.close);
const { accessToken } = await test.issue();
const headers = { Authorization: `Bearer ${accessToken}` };
const remove = (itemId: string) => test.send({ headers, body: { vaultId: "v-1", itemId, baseVersion: 1 } });
const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));
describe("DECISIONS 6: UNAVAILABLE when a queue is full", () => {
  it("rejects calls over the limit, loses no accepted call, and then accepts calls again", async () => {
    const items = [];
    for (const index of times(60, (each) => each)) items.push(await test.putItem(`i-full-${index}`));
    // Sent on open connections in one turn of the event loop, so that all are queued before the queue is flushed.
    const connections = items.map(() => test.connect());
    for (const connection of connections) {
      connection.send(requestBytes({ headers, body: {} }));
      await connection.answer();
    }
    for (const [index, connection] of connections.entries()) {
      connection.send(requestBytes({ headers, body: { vaultId: "v-1", itemId: items[index], baseVersion: 1 } }));
    }
    const answers = await Promise.all(connections.map((connection) => connection.answer()));
    for (const connection of connections) connection.destroy();
    const rejected = answers.filter(({ status }) => status !== 200);
    expect(rejected.length).toBeGreaterThan(0);
    for (const answer of rejected) {
      expectRpcError(answer, "UNAVAILABLE");
      expect(answer.header("retry-after")).toBe("1");
    }
    const again = await Promise.all(items.slice(0, 40).map(remove));
    expect(again.every(({ status }) => status === 200)).toBe(true);
  });
});
