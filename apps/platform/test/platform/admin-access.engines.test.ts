import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inMemoryPlatform } from "@platform-rpc/accounts/testing/in-memory-platform";
import { describe, expect, it, onTestFinished } from "vitest";
import { createAdminAccess } from "../../src/platform/admin-access.js";
import { temporaryFolder } from "../../src/testing/temporary-folder.js";

const minute = 60_000;

/** Sets up admin access on an in-memory platform, as the app does at its start. */
async function setUp() {
  const { own, secrets, clock, pass, authenticator, close } = await inMemoryPlatform();
  onTestFinished(close);
  const tokenFile = join(await temporaryFolder(), "admin.token");
  return {
    clock,
    pass,
    authenticator,
    tokenFile,
    start: () => createAdminAccess({ operations: own, secrets, clock, tokenFile }),
    token: () => readFile(tokenFile, "utf8"),
    /** Returns whether the token is accepted, past any cache. */
    works: async (token: string) => {
      pass(1_000);
      return (await authenticator.authenticate(token)) !== undefined;
    },
  };
}

describe("the admin token", () => {
  it("expires after an hour, is readable only by its owner, and is renewed after half an hour", async () => {
    const { start, token, clock, pass, authenticator, tokenFile } = await setUp();
    const admin = start();

    await admin.renew();
    const first = await token();
    expect((await stat(tokenFile)).mode & 0o777).toBe(0o600);
    expect((await authenticator.authenticate(first))?.claims).toMatchObject({
      tenantId: "platform",
      principalId: "platform-admin",
      oauthClientId: "platform-admin",
      scopes: ["platform.internal:admin"],
      expiresAt: Math.floor(clock.now() / 1000) * 1000 + 60 * minute,
    });

    pass(29 * minute);
    await admin.renew();
    expect(await token()).toBe(first);
    pass(minute);
    await admin.renew();
    expect(await token()).not.toBe(first);
  });

  it("is renewed when the clock was set back by more than its lifetime", async () => {
    const { start, token, pass, works } = await setUp();
    const admin = start();
    await admin.renew();
    const first = await token();
    pass(-90 * minute);
    expect(await works(first)).toBe(false);
    await admin.renew();
    expect(await works(await token())).toBe(true);
  });

  it("stays valid for up to a minute after its replacement, then is revoked", async () => {
    const { start, token, pass, works } = await setUp();
    const admin = start();
    await admin.renew();
    const first = await token();
    pass(30 * minute);
    await admin.renew();
    pass(50_000);
    await admin.revokeReplaced();
    expect(await works(first)).toBe(true);
    pass(5_000);
    await admin.revokeReplaced();
    expect(await works(first)).toBe(false);
    expect(await works(await token())).toBe(true);
  });

  it("is revoked when the app stops, if it was replaced", async () => {
    const { start, token, pass, works } = await setUp();
    const admin = start();
    await admin.renew();
    const first = await token();
    await admin.stop();
    expect(await works(first)).toBe(true);
    pass(30 * minute);
    await admin.renew();
    await admin.stop();
    expect(await works(first)).toBe(false);
    expect(await works(await token())).toBe(true);
  });

  it("is revoked by the next start, also after a run that was killed", async () => {
    const { start, token, works } = await setUp();
    const tokens: string[] = [];
    for (let run = 0; run < 4; run += 1) {
      await start().renew();
      tokens.push(await token());
    }
    expect(await Promise.all(tokens.map(works))).toEqual([false, false, false, true]);
  });

  it.each(["", "garbage", "a.b.c", "a.e30.c", "a.eyJqdGkiOjF9.c"])(
    "is renewed when its file contains %j",
    async (text) => {
      const { start, token, tokenFile, works } = await setUp();
      await writeFile(tokenFile, text);
      await start().renew();
      expect(await works(await token())).toBe(true);
    },
  );
});
