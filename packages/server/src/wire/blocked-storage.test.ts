import { afterAll, describe, expect, it } from "vitest";
import { createPlatform } from "../platform.js";
import { refOf } from "../ports/storage.js";
import { blockThread, createGate, openGate, reached } from "../storage/sqlite/testing/block-thread.js";
import { openInThread } from "../storage/sqlite/testing/storages.js";
import { fakeClock } from "../testing/fake-clock.js";
import { createMemoryKeyStore } from "../tokens/memory-key-store.js";
import { expectRpcError } from "./expect-rpc-error.js";
import { startListener } from "./start-listener.js";
import { deleteScope, itemContent, seed, seeder, tokenNames } from "./start-platform.js";

const storage = await openInThread({ path: ":memory:" });
const platform = await createPlatform({ storage, keys: createMemoryKeyStore(), ...tokenNames, clock: fakeClock() });
await seed(platform);
const ready = { status: 200, contentType: "text/plain", body: "ok" };
const test = await startListener({ ...platform, documents: new Map([["/readyz", ready]]) });
afterAll(async () => {
  await test.close();
  await storage.close();
});

const { accessToken } = await platform.operations.issueAccessToken(
  { tenantId: "t-1", principalId: "p-owner", oauthClientId: "c-1", scopes: [deleteScope], lifeSeconds: 0 },
  seeder,
);
const item = { tenantId: "t-1", vaultId: "v-1", itemId: "i-1" };
await platform.operations.putItem({ ...item, baseVersion: 0, ...itemContent }, seeder);

const deleteItem = (body: unknown, headers = {}) =>
  test.send({ body, headers: { Authorization: `Bearer ${accessToken}`, ...headers } });
const deletion = { vaultId: "v-1", itemId: "i-1", baseVersion: 1 };

describe("while a commit waits for the disk in the storage's thread", () => {
  it("the listener serves documents, rejects calls and enforces deadlines, and the calls in time are committed afterwards", async () => {
    // Caches the token.
    expectRpcError(await deleteItem({ ...deletion, itemId: "i-none" }), "ITEM_NOT_FOUND");
    const gate = createGate();
    const blocked = storage.transact(refOf(), blockThread(gate));
    await reached(gate);

    expect(await test.send({ verb: "GET", target: "/readyz" })).toMatchObject({ status: 200 });
    expectRpcError(await test.send({ body: deletion }), "UNAUTHENTICATED");
    expectRpcError(await test.send({ target: "/nowhere" }), "OPERATION_UNKNOWN");
    expectRpcError(await deleteItem({ ...deletion, baseVersion: 0 }), "INVALID_FIELD");
    expectRpcError(await deleteItem(deletion, { "Connect-Timeout-Ms": "20" }), "DEADLINE_EXCEEDED");

    const inTime = deleteItem({ ...deletion, itemId: "i-none" });
    openGate(gate);
    await blocked;
    expectRpcError(await inTime, "ITEM_NOT_FOUND");
    // The call whose deadline passed was not begun.
    expect(await platform.operations.getItem(item, seeder)).toMatchObject({ item: { version: 1, state: "live" } });
    expect(await deleteItem(deletion)).toMatchObject({ status: 200 });
  });
});
