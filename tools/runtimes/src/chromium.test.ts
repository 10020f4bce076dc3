import { randomUUID } from "node:crypto";
import { mkdtempSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createBrokerTokenVerifier } from "@platform-rpc/broker";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Environment, startEnvironment } from "./environment.ts";
import { servePages } from "./pages.ts";
import type * as pageProgram from "./program/page.ts";
import { entries } from "./program/program-input.ts";
import { bundlePage, chromiumUnderTest, insecureHost, type RunningChromium, runChromium } from "./runtimes/chromium.ts";

/** The global of the page's script. */
declare const program: typeof pageProgram;

describe.skipIf(chromiumUnderTest.skip)(chromiumUnderTest.title, () => {
  const started = new AsyncDisposableStack();
  let script: string;
  let environment: Environment;
  let chromium: RunningChromium;
  let page: Page;
  beforeAll(async () => {
    script = await bundlePage();
    environment = started.adopt(await startEnvironment(script), (one) => one.end());
    chromium = started.adopt(await runChromium(), (one) => one.close());
    page = await chromium.open(environment.origin);
  });
  afterAll(() => started.disposeAsync());

  async function newUser() {
    const principalId = randomUUID();
    const address = { baseUrl: environment.app.publicUrl, token: await environment.tenant.newToken(principalId) };
    return { principalId, address, item: await environment.tenant.newItem(principalId) };
  }

  it("starts with a long path of the temporary folder, and leaves no files there", async () => {
    const folder = mkdtempSync(join(tmpdir(), "long-".repeat(16)));
    vi.stubEnv("TMPDIR", folder);
    const another = await runChromium();
    vi.unstubAllEnvs();
    await another.close();
    rmdirSync(folder);
  });

  describe.each(entries)("a page with %s", (entry) => {
    it("can read Retry-After", async () => {
      const { address, item } = await newUser();
      const result = await page.evaluate((call) => program.callUntilLimited(call.entry, call.address, call.item), {
        entry,
        address,
        item,
      });
      expect(result.retryAfter).toMatch(/^\d+$/);
      expect(result.retryAfterMs).toBeGreaterThan(0);
    });

    it("of an origin that is not allowed gets no response, and the call has no effect", async () => {
      const other = await servePages(script);
      const otherPage = await chromium.open(other.origin);
      const { address, item } = await newUser();
      const reason = await otherPage.evaluate((call) => program.callWithoutRetry(call.entry, call.address, call.item), {
        entry,
        address,
        item,
      });
      expect(reason).toBe("NETWORK_ERROR");
      expect(await environment.tenant.versionOf(item)).toBe(1);
      await otherPage.close();
      await other.close();
    });
  });

  it.each(entries)(
    "a page without https with %s creates ids and Idempotency-Keys from 128 random bits",
    async (entry) => {
      const { port } = new URL(environment.origin);
      const insecure = await chromium.open(`http://${insecureHost}:${port}`);
      const { hasRandomUuid, ids } = await insecure.evaluate((entry) => program.sentIds(entry), entry);
      expect(hasRandomUuid).toBe(false);
      for (const id of ids) expect(id).toMatch(/^\d{1,10}(?:-\d{1,10}){3}$/);
      expect(new Set(ids).size).toBe(4);
      await insecure.close();
    },
  );

  it("RFC 9449: a key that a page stores in IndexedDB survives a reload, and creates proofs for the broker token bound to it", async () => {
    const { publicJwk, thumbprint } = await page.evaluate(() => program.makeProofKey());
    await page.reload();
    const { deviceCode, userCode } = await environment.tenant.startAuthorization(JSON.stringify(publicJwk));
    const { principalId, address } = await newUser();
    await environment.tenant.approve(principalId, userCode);
    const htu = "https://broker.example/run";
    const fixture = { ...address, approvedCode: deviceCode, htu };
    const proven = await page.evaluate((fixture) => program.proveWithKeptKey(fixture), fixture);
    expect(proven).toMatchObject({ popKeyId: thumbprint, extractable: false });

    const broker = createBrokerTokenVerifier({
      keys: new URL(`${environment.app.publicUrl}/.well-known/jwks.json`),
      issuer: "https://platform.example",
      audience: "https://platform.example/broker",
    });
    const { authorization, dpop } = proven;
    expect(await broker.verify({ method: "POST", url: htu, authorization, dpop })).toMatchObject({
      popKeyId: thumbprint,
    });
  });

  it("no requested URL contains a token or a code", () => {
    expect(chromium.urls.length).toBeGreaterThan(10);
    expect(chromium.urls.filter((url) => /eyJ|pdc_/.test(url))).toEqual([]);
  });

  it("no page's console contains a token or a code", () => {
    expect(chromium.printed()).toContain("NETWORK_ERROR");
    expect(chromium.printed()).not.toMatch(/eyJ|pdc_/);
  });
});
