import { createPlatformClient } from "@platform-rpc/client";
import { createPlatformClient as createJsonClient } from "@platform-rpc/client/json";
import { createFakePlatform } from "@platform-rpc/client/testing";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { deleteIfConfirmed } from "../examples/conflict.js";
import { logIn } from "../examples/device-login-browser.js";
import { deleteAndAdvance } from "../examples/sync.js";

const vaultId = "personal";
const itemId = "item-1";
let platform: ReturnType<typeof createFakePlatform>;
let client: ReturnType<typeof createPlatformClient>;
let printed: string[];

/** What the recipes reach at https://api.example.com, at a time of the test's own. */
beforeEach(() => {
  platform = createFakePlatform();
  client = createPlatformClient(platform.options);
  printed = [];
  const print = (...values: readonly unknown[]) => printed.push(values.map(String).join(" "));
  vi.spyOn(console, "log").mockImplementation(print);
  vi.spyOn(console, "warn").mockImplementation(print);
  vi.spyOn(console, "error").mockImplementation(print);
  vi.stubGlobal("fetch", platform.options.fetch);
  vi.stubEnv("PLATFORM_TOKEN", platform.options.token().accessToken);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  vi.resetModules();
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

function letTimePassUntil(happened: () => void): Promise<void> {
  return vi.waitFor(
    async () => {
      await vi.advanceTimersByTimeAsync(1_000);
      happened();
    },
    { interval: 5, timeout: 60_000 },
  );
}

describe("the examples of the README have the results that it states", () => {
  it("tokens: come from the session, and bypass every cache once one was rejected", async () => {
    platform.putItem({ vaultId, itemId });
    const caches: unknown[] = [];
    const tokens = [{ accessToken: "stale" }, platform.options.token()];
    vi.stubGlobal("fetch", async (input: string | URL | Request, init?: RequestInit) => {
      if (input !== "/session/platform-token") return platform.options.fetch(input, init);
      caches.push(init?.cache);
      return Response.json({ ...tokens.shift(), expiresAt: new Date(Date.now() + 900_000) });
    });
    const recipe = await import("../examples/tokens.js");
    const { item } = await recipe.client.vault.deleteItem({ vaultId, itemId, baseVersion: 1 });
    expect(item.deleted).toBe(true);
    expect(caches).toEqual(["default", "no-store"]);
  });

  it("conflicts: the item is deleted only after a confirmation for its current version", async () => {
    const item = { vaultId, itemId, baseVersion: 1 };
    platform.putItem({ vaultId, itemId, version: 3 });
    const seen: number[] = [];
    const answer = (wanted: boolean) => async (conflict: { readonly currentVersion: number }) => {
      seen.push(conflict.currentVersion);
      return wanted;
    };
    expect(await deleteIfConfirmed(client, item, answer(false))).toBe(false);
    platform.conflictNext();
    expect(await deleteIfConfirmed(client, item, answer(true))).toBe(true);
    expect(seen).toEqual([3, 4]);
    expect(await deleteIfConfirmed(client, item, answer(false))).toBe(true);
  });

  it("cursors: the position advances by the client's own deletion, and changes by others are pulled", async () => {
    platform.putItem({ vaultId, itemId });
    platform.putItem({ vaultId, itemId: "item-2" });
    const pullAfter = vi.fn(async () => ({ vaultId, sequence: 4 }));
    const item = { itemId, baseVersion: 1 };
    expect(await deleteAndAdvance(client, { vaultId, sequence: 2 }, item, pullAfter)).toEqual({ vaultId, sequence: 3 });
    expect(pullAfter).not.toHaveBeenCalled();
    const second = { itemId: "item-2", baseVersion: 1 };
    expect(await deleteAndAdvance(client, { vaultId, sequence: 2 }, second, pullAfter)).toEqual({
      vaultId,
      sequence: 4,
    });
    expect(pullAfter).toHaveBeenCalledWith(2);
  });

  it("device login in a program: waits, and calls with the approved token", async () => {
    platform.putItem({ vaultId: "demo-vault", itemId: "demo-note" });
    vi.stubEnv("DEVICE_CODE", platform.startDevice().deviceCode);
    const run = import("../examples/device-login-cli.js");
    await letTimePassUntil(() => expect(platform.calls).toHaveLength(1));
    platform.approveDevice();
    await letTimePassUntil(() => expect(platform.calls).toHaveLength(3));
    await run;
    expect(platform.calls.at(-1)?.operation).toBe("DeleteItem");
    expect(printed).toEqual([
      expect.stringMatching(/^authorization_pending; the code expires at 20/),
      "demo-note is deleted at version 2",
    ]);
    expect(process.exitCode).toBeUndefined();
  });

  it.each([
    ["approved", () => platform.approveDevice(), true],
    ["denied", () => platform.denyDevice(), false],
  ])("device login in a browser: %s", async (_decision, decide, loggedIn) => {
    platform.putItem({ vaultId, itemId });
    const { deviceCode } = platform.startDevice();
    const shown: string[] = [];
    const show = (text: string) => {
      shown.push(text);
      decide();
    };
    const agent = await logIn(createJsonClient(platform.options), deviceCode, {
      show,
      left: new AbortController().signal,
    });
    expect(shown).toEqual(["Waiting for your approval."]);
    const deleted = await agent?.vault.deleteItem({ vaultId, itemId, baseVersion: 1 });
    expect(deleted?.item.deleted).toBe(loggedIn ? true : undefined);
  });

  it("testing: prints the output in its comments", async () => {
    await import("../examples/testing.js");
    expect(printed).toEqual(["2 2", "[redacted] agent"]);
  });
});
