import { webcrypto } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createPlatformClient } from "../json/index.js";
import { createFakePlatform } from "../testing/index.js";

/** The `crypto` of each environment that the client runs in. */
const environments = [
  { environment: "a secure page, or Node 20 and newer", crypto: webcrypto },
  {
    environment: "a page without https: no randomUUID",
    crypto: { getRandomValues: (bytes: Uint8Array<ArrayBuffer>) => webcrypto.getRandomValues(bytes) },
  },
  { environment: "Node 18: no crypto", crypto: undefined },
];

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe.each(environments)("on $environment", ({ crypto }) => {
  beforeEach(() => {
    vi.stubGlobal("crypto", crypto);
    // What a page, or another tab of it, may have in common with others.
    vi.spyOn(Math, "random").mockReturnValue(0.5);
    vi.spyOn(Date, "now").mockReturnValue(1_700_000_000_000);
  });

  it("a client creates every id and Idempotency-Key from at least 122 random bits", async () => {
    const platform = createFakePlatform();
    const sent: string[] = [];
    const fetch: typeof globalThis.fetch = (input, init) => {
      const headers = new Headers(init?.headers);
      sent.push(headers.get("X-Request-Id") ?? "", headers.get("Idempotency-Key") ?? "");
      return platform.options.fetch(input, init);
    };
    const client = createPlatformClient({ ...platform.options, fetch });
    for (let call = 0; call < 50; call += 1) {
      const { deviceCode } = platform.startDevice();
      await client.identityGateway.exchangeMcpOauthDeviceAuthorization({ deviceCode });
    }
    for (const id of sent) expect(id).toMatch(/^[!-~]{16,128}$/);
    expect(new Set(sent).size).toBe(100);
  });
});
