import { randomUUID } from "node:crypto";
import { mkdtempSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createBrokerTokenVerifier } from "@platform-rpc/broker";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { servePages } from "./pages.ts";
import type * as pageProgram from "./program/page.ts";
import { entries } from "./program/plot.ts";
import { bundlePage, chromiumUnderTest, insecureHost, type RunningChromium, runChromium } from "./runtimes/chromium.ts";
import { startWorld, type World } from "./world.ts";

/** What the page's script makes global. */
declare const program: typeof pageProgram;

describe.skipIf(chromiumUnderTest.skip)(chromiumUnderTest.title, () => {
  const started = new AsyncDisposableStack();
  let script: string;
  let world: World;
  let chromium: RunningChromium;
  let page: Page;
  beforeAll(async () => {
    script = await bundlePage();
    world = started.adopt(await startWorld(script), (one) => one.end());
    chromium = started.adopt(await runChromium(), (one) => one.close());
    page = await chromium.open(world.origin);
  });
  afterAll(() => started.disposeAsync());

  async function newUser() {
    const principalId = randomUUID();
    const address = { baseUrl: world.app.publicUrl, token: await world.tenant.newToken(principalId) };
    return { principalId, address, item: await world.tenant.newItem(principalId) };
  }

  it("starts where the path of the temporary folder is long, and leaves nothing there", async () => {
    const folder = mkdtempSync(join(tmpdir(), "long-".repeat(16)));
    vi.stubEnv("TMPDIR", folder);
    const another = await runChromium();
    vi.unstubAllEnvs();
    await another.close();
    rmdirSync(folder);
  });

  describe.each(entries)("a page with %s", (entry) => {
    it("reads how long it is asked to wait", async () => {
      const { address, item } = await newUser();
      const told = await page.evaluate((call) => program.callUntilLimited(call.entry, call.address, call.item), {
        entry,
        address,
        item,
      });
      expect(told.retryAfter).toMatch(/^\d+$/);
      expect(told.retryAfterMs).toBeGreaterThan(0);
    });

    it("of an origin that is not allowed gets no answer, and nothing is done", async () => {
      const other = await servePages(script);
      const stranger = await chromium.open(other.origin);
      const { address, item } = await newUser();
      const reason = await stranger.evaluate((call) => program.callWithoutRetry(call.entry, call.address, call.item), {
        entry,
        address,
        item,
      });
      expect(reason).toBe("NETWORK_ERROR");
      expect(await world.tenant.versionOf(item)).toBe(1);
      await stranger.close();
      await other.close();
    });
  });

  it.each(entries)(
    "a page without https with %s makes ids and Idempotency-Keys from 128 random bits",
    async (entry) => {
      const { port } = new URL(world.origin);
      const insecure = await chromium.open(`http://${insecureHost}:${port}`);
      const { hasRandomUuid, ids } = await insecure.evaluate((entry) => program.sentIds(entry), entry);
      expect(hasRandomUuid).toBe(false);
      for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/);
      expect(new Set(ids).size).toBe(4);
      await insecure.close();
    },
  );

  it("RFC 9449: the key that a page keeps in IndexedDB survives a reload, and proves the broker token bound to it", async () => {
    const { publicJwk, thumbprint } = await page.evaluate(() => program.makeProofKey());
    await page.reload();
    const { deviceCode, userCode } = await world.tenant.startAuthorization(JSON.stringify(publicJwk));
    const { principalId, address } = await newUser();
    await world.tenant.approve(principalId, userCode);
    const htu = "https://broker.example/run";
    const scene = { ...address, approvedCode: deviceCode, htu };
    const proven = await page.evaluate((scene) => program.proveWithKeptKey(scene), scene);
    expect(proven).toMatchObject({ popKeyId: thumbprint, extractable: false });

    const broker = createBrokerTokenVerifier({
      keys: new URL(`${world.app.publicUrl}/.well-known/jwks.json`),
      issuer: "https://platform.example",
      audience: "https://platform.example/broker",
    });
    const { authorization, dpop } = proven;
    expect(await broker.verify({ method: "POST", url: htu, authorization, dpop })).toMatchObject({
      popKeyId: thumbprint,
    });
  });

  it("no URL that was asked for holds a token or a code", () => {
    expect(chromium.urls.length).toBeGreaterThan(10);
    expect(chromium.urls.filter((url) => /eyJ|pdc_/.test(url))).toEqual([]);
  });

  it("no console of a page holds a token or a code", () => {
    expect(chromium.printed()).toContain("NETWORK_ERROR");
    expect(chromium.printed()).not.toMatch(/eyJ|pdc_/);
  });
});
