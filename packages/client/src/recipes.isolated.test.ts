import { createPlatformClient } from "@platform-rpc/client";
import {
  createRecipientKeys,
  createWriterKeys,
  OpenError,
  openItem,
  sealItem,
  unwrapItemKey,
} from "@platform-rpc/client/crypto";
import { createPlatformClient as createJsonClient } from "@platform-rpc/client/json";
import { thumbprint } from "@platform-rpc/client/pop";
import { createFakePlatform } from "@platform-rpc/client/testing";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { deleteIfConfirmed } from "../examples/conflict.js";
import { open, seal } from "../examples/crypto.js";
import { logIn } from "../examples/device-login-browser.js";
import { callBroker, proofKeyOf } from "../examples/pop.js";
import { deleteAndAdvance } from "../examples/sync.js";
import { create, openVault } from "../examples/vault-key.js";

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

  it("retries: the hook reports each, and the call succeeds", async () => {
    platform.putItem({ vaultId, itemId });
    platform.failNext("unavailable", { times: 2 });
    const recipe = await import("../examples/retries.js");
    const deleted = recipe.client.vault.deleteItem({ vaultId, itemId, baseVersion: 1 });
    await letTimePassUntil(() => expect(platform.calls).toHaveLength(3));
    expect((await deleted).item.deleted).toBe(true);
    expect(printed).toEqual([
      expect.stringMatching(/: attempt 1 failed \(UNAVAILABLE\), retrying in \d+ ms$/),
      expect.stringMatching(/: attempt 2 failed \(UNAVAILABLE\), retrying in \d+ ms$/),
    ]);
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

  it("proof of possession: one key for a device, a proof for each request", async () => {
    const store = new Map();
    const key = await proofKeyOf(store);
    expect((await proofKeyOf(store)).thumbprint).toBe(key.thumbprint);
    const sent = vi.fn(async (_url: string, _init: { headers: Record<string, string> }) => new Response());
    vi.stubGlobal("fetch", sent);
    await callBroker(key, "https://broker.example.com/run", "token");
    const { Authorization, DPoP = "" } = sent.mock.calls[0]?.[1].headers ?? {};
    expect(Authorization).toBe("DPoP token");
    const header = JSON.parse(Buffer.from(DPoP.split(".")[0] ?? "", "base64url").toString());
    expect(await thumbprint(header.jwk)).toBe(key.thumbprint);
  });

  it("sealed items: only their recipients can open them", async () => {
    const place = { tenantId: "acme", vaultId, itemId, version: 1 };
    const login = { title: "Mail", username: "ada", password: "correct horse" };
    const { publicKey, privateKey } = await createRecipientKeys();
    const writer = { writerId: "ada", ...(await createWriterKeys()) };
    const hmac = { name: "HMAC", hash: "SHA-256", length: 256 };
    const titleKey = await crypto.subtle.generateKey(hmac, false, ["sign"]);
    const item = await seal(place, login, { titleKey, writer, recipients: [{ recipientId: "ada", publicKey }] });
    const reader = { recipientId: "ada", privateKey };
    expect(JSON.parse((await open(place, item, reader, [writer])) ?? "")).toEqual(login);
    const stranger = { recipientId: "ada", privateKey: (await createRecipientKeys()).privateKey };
    expect(await open(place, item, stranger, [writer])).toBeUndefined();
    expect(await open(place, item, { ...stranger, recipientId: "bob" }, [writer])).toBeUndefined();
    const other = { writerId: "ada", publicKey: (await createWriterKeys()).publicKey };
    expect(await open(place, item, reader, [other])).toBeUndefined();
  });

  it("vault keys: an item that is sealed for a vault is opened by who holds its key", async () => {
    const aes = { name: "AES-GCM", length: 256 };
    const wrappingKey = await crypto.subtle.generateKey(aes, false, ["encrypt", "decrypt"]);
    const key = { wrappingKey, accountId: "ada", tenantId: "acme", vaultId, keyId: "key-1", epoch: 1 };
    const stored = await create(key, "Family");
    const { name, holder } = await openVault(stored, key);
    expect(name).toBe("Family");
    const place = { tenantId: "acme", vaultId, itemId, version: 1 };
    const plaintext = new TextEncoder().encode("correct horse");
    const item = await sealItem({ place, kind: "login", titleHash: "", plaintext, recipients: [holder] });
    const [wrapped] = item.wrappedKeys;
    const itemKey = wrapped && (await unwrapItemKey(wrapped, holder));
    expect(itemKey && (await openItem({ place, ...item, itemKey })).plaintext).toEqual(plaintext);
    await expect(openVault(stored, { ...key, accountId: "bob" })).rejects.toThrow(OpenError);
  });

  it("testing: prints the output in its comments", async () => {
    await import("../examples/testing.js");
    expect(printed).toEqual(["2 2", "[redacted] agent"]);
  });

  it("tracing: the call succeeds", async () => {
    platform.putItem({ vaultId, itemId });
    const recipe = await import("../examples/tracing.js");
    const { item } = await recipe.client.vault.deleteItem({ vaultId, itemId, baseVersion: 1 });
    expect(item.deleted).toBe(true);
  });

  it("undici: the client is created", async () => {
    const recipe = await import("../examples/undici.js");
    expect(recipe.client.vault.deleteItem).toBeTypeOf("function");
  });
});
