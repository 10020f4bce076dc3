import { readFile, stat } from "node:fs/promises";
import { engine } from "@platform-rpc/accounts/testing/test-database";
import { StorageError } from "@platform-rpc/server";
import { createRemoteJWKSet, jwtVerify } from "jose";
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { createHealth } from "../../src/platform/health.js";
import { FatalError } from "../../src/process/jobs.js";
import type { LineWriterState } from "../../src/process/line-writer.js";
import { startTestApp } from "../../src/testing/start-test-app.js";

const app = await startTestApp({ PUBLIC_URL: "https://api.example/base", CORS_ORIGINS: "https://app.example" });
afterAll(() => app.end());

describe("the listeners", () => {
  it.each(["/healthz", "/readyz"])("%s is served by both, also under the base path", async (path) => {
    const atRoot = new URL(path, app.publicUrl).href;
    for (const url of [atRoot, app.publicUrl + path, app.internalUrl + path]) {
      const response = await fetch(url);
      expect([response.status, await response.json()]).toEqual([200, { status: "ok" }]);
    }
  });

  it("a page of an allowed origin may call the public listener, but not the internal one", async () => {
    const headers = { Origin: "https://app.example" };
    const allowed = "access-control-allow-origin";
    expect((await fetch(`${app.publicUrl}/healthz`, { headers })).headers.get(allowed)).toBe("https://app.example");
    expect((await fetch(`${app.internalUrl}/healthz`, { headers })).headers.get(allowed)).toBeNull();
  });

  it("RFC 7517: the published keys verify a token, and may be cached for less than the hour between publication and use", async () => {
    const url = new URL(`${app.publicUrl}/.well-known/jwks.json`);
    const { headers } = await fetch(url);
    const maxAge = /^public, max-age=(\d+)$/.exec(headers.get("cache-control") ?? "")?.[1];
    expect(Number(maxAge)).toBeLessThanOrEqual(3600);
    const { payload } = await jwtVerify(app.adminToken, createRemoteJWKSet(url), {
      issuer: "https://platform.example",
      audience: "https://platform.example/api",
      algorithms: ["Ed25519"],
    });
    expect(payload).toMatchObject({ scope: "platform.internal:admin", tenant_id: "platform" });
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(3600);
    expect((await fetch(`${app.internalUrl}/.well-known/jwks.json`)).status).toBe(404);
  });
});

describe("the files", () => {
  it.each(["admin.token", "keys.json", ...(engine === "SQLite" ? ["platform.sqlite"] : [])])(
    "%s is readable only by its owner",
    async (name) => {
      expect((await stat(`${app.dataDir}/${name}`)).mode & 0o777).toBe(0o600);
    },
  );

  it("keys are outside the database", async () => {
    const { hmacKey } = JSON.parse(await readFile(`${app.dataDir}/keys.json`, "utf8"));
    expect(hmacKey).toMatch(/^[\w-]{43}$/);
  });
});

describe("readiness", () => {
  const readyz = (health: ReturnType<typeof createHealth>) => health.documents.get("/readyz")?.().status;
  const logger = { info: () => undefined, error: () => undefined };
  it.each([
    ["full", "read-only", /disk is full/],
    ["damaged", "read-only", /Restore a backup/],
    ["unavailable", "storage unavailable", /The line "not ready" of the log says why/],
  ] as const)(
    "a storage that fails as %s makes readiness report '%s', and logs one line then and one when it works again",
    async (reason, status, note) => {
      const lines: [object, string][] = [];
      const log = (fields: object, message: string) => void lines.push([fields, message]);
      let failing = false;
      const check = async () => {
        if (failing) throw new StorageError(reason);
      };
      const health = createHealth({ storage: { check }, logger: { info: log, error: log } });
      await health.check();
      failing = true;
      for (let times = 0; times < 3; times += 1) await health.check();
      const document = health.documents.get("/readyz")?.();
      const body: { status: string; note?: string } = JSON.parse(String(document?.body));
      expect([document?.status, body.status]).toEqual([503, status]);
      expect(String(body.note)).toMatch(note);
      failing = false;
      await health.check();
      expect(lines).toEqual([
        [body, "not ready"],
        [{}, "ready again"],
      ]);
    },
  );

  it("lost storage files cause a fatal error", async () => {
    const check = () => Promise.reject(new StorageError("lost"));
    await expect(createHealth({ storage: { check }, logger }).check()).rejects.toThrow(FatalError);
  });

  it("an ended thread of the storage causes a fatal error with the error of the thread as its cause", async () => {
    const cause = new RangeError("in the thread");
    const check = () => Promise.reject(new StorageError("lost", { cause }));
    const error = await createHealth({ storage: { check }, logger })
      .check()
      .catch((thrown: unknown) => thrown);
    expect(error).toEqual(new FatalError("the thread of the storage ended unexpectedly", { cause }));
  });

  it("fails before the first check, while the storage cannot answer, and for good once draining", async () => {
    let works = true;
    const check = async () => {
      if (!works) throw new StorageError("unavailable");
    };
    const health = createHealth({ storage: { check }, logger });
    expect(readyz(health)).toBe(503);
    await health.check();
    expect(readyz(health)).toBe(200);
    works = false;
    await health.check();
    expect(readyz(health)).toBe(503);
    works = true;
    await health.check();
    expect(readyz(health)).toBe(200);
    health.drain();
    await health.check();
    expect(readyz(health)).toBe(503);
    expect(health.documents.get("/healthz")?.().status).toBe(200);
  });

  it("fails while a check of the storage takes longer than 5 s", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const checks: (() => void)[] = [];
    const check = () => new Promise<void>((resolve) => checks.push(resolve));
    const health = createHealth({ storage: { check }, logger });
    const [first] = [health.check(), checks.shift()?.()];
    await first;
    const stalled = health.check();
    await vi.advanceTimersByTimeAsync(4_999);
    expect(readyz(health)).toBe(200);
    await vi.advanceTimersByTimeAsync(1);
    expect(readyz(health)).toBe(503);
    checks.shift()?.();
    await stalled;
    expect(readyz(health)).toBe(200);
  });

  it("fails once the keys could not be loaded for 50 minutes, because another process may have rotated them", async () => {
    let keysAge = 49 * 60_000;
    const health = createHealth({ storage: { check: async () => {} }, logger, keysAge: () => keysAge });
    await health.check();
    expect(readyz(health)).toBe(200);
    keysAge = 50 * 60_000;
    await health.check();
    expect(health.readiness().body).toContain("KEYS_FILE could not be loaded");
    keysAge = 0;
    await health.check();
    expect(readyz(health)).toBe(200);
  });

  it("reports a log that loses lines, and stays 200", async () => {
    let state: LineWriterState = { droppedLines: 0, error: undefined };
    const health = createHealth({ storage: { check: async () => {} }, logger, logState: () => state });
    await health.check();
    const document = () => health.documents.get("/readyz")?.();
    expect(document()).toMatchObject({ status: 200, body: '{"status":"ok"}' });
    state = { droppedLines: 12, error: undefined };
    expect(document()).toMatchObject({ status: 200, body: '{"status":"ok","log":{"droppedLines":12}}' });
    health.drain();
    expect(document()).toMatchObject({ status: 503, body: '{"status":"draining","log":{"droppedLines":12}}' });
  });
});
