import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createPlatform } from "../../src/platform.js";
import { holdLock } from "../../src/storage/sqlite/testing/hold-lock.js";
import { openInThread } from "../../src/storage/sqlite/testing/storages.js";
import { createMemoryFolder } from "../../src/storage/sqlite/testing/temporary-path.js";
import { fakeClock } from "../../src/testing/fake-clock.js";
import { createMemoryKeyStore } from "../../src/tokens/memory-key-store.js";
import { expectRpcError } from "./expect-rpc-error.js";
import { startListener } from "./start-listener.js";
import { deleteScope, itemContent, seed, seeder, tokenNames } from "./start-platform.js";

const path = join(createMemoryFolder(), "platform.db");
const storage = await openInThread({ path });
const platform = await createPlatform({ storage, keys: createMemoryKeyStore(), ...tokenNames, clock: fakeClock() });
await seed(platform);
const ready = { status: 200, contentType: "text/plain", body: "ok" };
const test = await startListener({
  routes: platform.routes,
  admit: platform.admit,
  documents: new Map([["/readyz", ready]]),
});
afterAll(async () => {
  await test.close();
  await storage.close();
  rmSync(dirname(path), { recursive: true });
});

const { accessToken } = await platform.operations.issueAccessToken(
  { tenantId: "t-1", principalId: "p-owner", oauthClientId: "c-1", scopes: [deleteScope], lifeSeconds: 0 },
  seeder,
);
const item = { access: "administrator", tenantId: "t-1", vaultId: "v-1", itemId: "i-1" } as const;
await platform.operations.putItem({ ...item, baseVersion: 0, ...itemContent }, seeder);

const deleteItem = (body: unknown, headers = {}) =>
  test.send({ body, headers: { Authorization: `Bearer ${accessToken}`, ...headers } });
const deletion = { vaultId: "v-1", itemId: "i-1", baseVersion: 1 };

describe("while a commit waits for the disk in the writer's thread", () => {
  it("the listener serves documents, rejects calls and enforces deadlines, and the calls in time are committed afterwards", async () => {
    // Caches the token.
    expectRpcError(await deleteItem({ ...deletion, itemId: "i-none" }), "ITEM_NOT_FOUND");
    const release = holdLock(path);
    const other = { ...item, itemId: "i-2" };
    const waiting = platform.operations.putItem({ ...other, baseVersion: 0, ...itemContent }, seeder);

    expect(await test.send({ verb: "GET", target: "/readyz" })).toMatchObject({ status: 200 });
    expectRpcError(await test.send({ body: deletion }), "UNAUTHENTICATED");
    expectRpcError(await test.send({ target: "/nowhere" }), "OPERATION_UNKNOWN");
    expectRpcError(await deleteItem({ ...deletion, baseVersion: 0 }), "INVALID_FIELD");
    expectRpcError(await deleteItem(deletion, { "Connect-Timeout-Ms": "20" }), "DEADLINE_EXCEEDED");

    const inTime = deleteItem({ ...deletion, itemId: "i-none" });
    release();
    await waiting;
    expectRpcError(await inTime, "ITEM_NOT_FOUND");
    // The call whose deadline passed was not begun.
    expect(await platform.operations.getItem(item, seeder)).toMatchObject({ item: { version: 1, state: "live" } });
    expect(await deleteItem(deletion)).toMatchObject({ status: 200 });
  });
});
