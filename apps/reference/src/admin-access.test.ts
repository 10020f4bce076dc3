import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createAdminAccess } from "./admin-access.js";
import { inMemoryPlatform } from "./testing/in-memory-platform.js";
import { temporaryFolder } from "./testing/temporary-folder.js";

const minute = 60_000;

describe("INTERNAL.md: the admin token", () => {
  it("lives for an hour, is for its owner alone, and is rewritten half-way", async () => {
    const { operations, secrets, clock, pass, verifier, close } = await inMemoryPlatform();
    onTestFinished(close);
    const tokenFile = join(await temporaryFolder(), "admin.token");
    const admin = createAdminAccess({ operations, secrets, clock, tokenFile });
    const token = () => readFile(tokenFile, "utf8");

    await admin.renew();
    const first = await token();
    expect((await stat(tokenFile)).mode & 0o777).toBe(0o600);
    expect(await verifier.verify(first)).toMatchObject({
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
    // Whoever has read the first one can still use it.
    expect(await verifier.verify(first)).toBeDefined();
  });
});
