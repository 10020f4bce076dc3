import { signUpPerson } from "@platform-rpc/accounts/testing/person";
import { openSiteBrowser } from "@platform-rpc/accounts/testing/site-browser";
import { afterAll, describe, expect, it } from "vitest";
import { call } from "../../../src/testing/call.js";
import { reasonIn } from "../../../src/testing/item-answer.js";
import { startMemberApp } from "./testing/start-member-app.js";
import { tokenWithBounds } from "./testing/token-with-bounds.js";

const app = await startMemberApp({ RATE_LIMITS: "off" });
afterAll(() => app.end());

const send = (method: string, body: object, token: string) =>
  call(app.accountsUrl, `platform.accounts.v1.ProgramUnlockService/${method}`, body, token);
const signUp = () => signUpPerson({ openBrowser: () => openSiteBrowser(app.pagesUrl) });
/** What a browser hands over. The server cannot verify it. */
const handOver = (signingKey: string) => ({
  pageKey: "P".repeat(87),
  vaults: [],
  certificate: { signingKey, signature: "C".repeat(86) },
  removed: [],
  signature: "S".repeat(86),
});
const wanted = () => ({
  unlockId: crypto.randomUUID(),
  encryptionKey: "A".repeat(87),
  signingKey: "A".repeat(43),
});

describe("ProgramUnlockService", () => {
  it("a request of the command line waits for the person, and does not exist for another one", async () => {
    const request = wanted();
    const { unlockId } = request;
    const token = await app.token({ principalId: "ada" });
    const requested = await send("RequestUnlock", request, token);
    expect(requested).toMatchObject({ status: 200, json: { expiresInSeconds: 600 } });
    expect(await send("GetUnlock", { unlockId }, token)).toMatchObject({ status: 200, json: { state: "pending" } });
    const other = await app.token({ principalId: "bob" });
    expect(await send("GetUnlock", { unlockId }, other)).toMatchObject({ status: 200, json: { state: "ended" } });
  });

  it("the page is told from where the request came: the name of the device, and the network address", async () => {
    const { accountId: principalId, browser } = await signUp();
    const { unlockId, ...keys } = wanted();
    const response = await fetch(`${app.accountsUrl}/platform.accounts.v1.ProgramUnlockService/RequestUnlock`, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        Authorization: `Bearer ${await app.token({ principalId })}`,
        "Connect-Protocol-Version": "1",
        "User-Agent": "platform-cli/1.0.0 (ada-laptop; linux)",
        "X-Platform-Caller-Address": "203.0.113.9",
      },
      body: JSON.stringify({ unlockId, ...keys }),
    });
    expect(response.status).toBe(200);
    const { status, body } = await browser.send(`/account/api/unlocks/${unlockId}`);
    expect([status, body]).toEqual([
      200,
      {
        ...keys,
        device: "ada-laptop",
        address: "127.0.0.1",
        sameNetwork: true,
        startedAt: expect.any(String),
        expiresAt: expect.any(String),
      },
    ]);
  });

  it("a key whose certificate the person has removed is not certified again", async () => {
    const { accountId: principalId, browser } = await signUp();
    const token = await app.token({ principalId });
    const { unlockId, ...keys } = wanted();
    await send("RequestUnlock", { unlockId, ...keys }, token);
    const { signingKey } = keys;
    const answered = await browser.send(`/account/api/unlocks/${unlockId}`, { json: handOver(signingKey) });
    expect(answered.status).toBe(200);
    const list = async () => (await browser.send("/account/api/certificates")).body;
    expect(await list()).toMatchObject({
      certificates: [{ signingKey, certifiedAt: expect.any(String) }],
      removed: [],
    });
    const { body: copy } = await browser.send("/account/api/export");
    expect(copy).toMatchObject({ certifiedPrograms: [{ certifiedAt: expect.any(String) }] });
    expect(JSON.stringify(copy)).not.toContain(signingKey);
    const removal = { signingKey, signature: "R".repeat(86) };
    const removed = await browser.send("/account/api/certificates/remove", { json: removal });
    expect(removed.status).toBe(200);
    expect(await list()).toEqual({ certificates: [], removed: [removal] });
    const again = await send("RequestUnlock", { ...keys, unlockId: crypto.randomUUID() }, token);
    expect(again).toMatchObject({ status: 200, json: { signingKeyRemoved: true } });
  });

  it.each(["RequestUnlock", "GetUnlock"])(
    "%s rejects other software, other scopes and invalid fields",
    async (method) => {
      const request = method === "GetUnlock" ? { unlockId: crypto.randomUUID() } : wanted();
      await app.admin("AccessAdminService/SetOauthClient", {
        ...{ tenantId: "acme", oauthClientId: "agent", name: "Agent", enabled: true },
        allowedOperations: [`platform.accounts.v1.ProgramUnlockService/${method}`],
      });
      const agent = await app.token({ principalId: "ada", oauthClientId: "agent" });
      expect(reasonIn(await send(method, request, agent))).toBe("VAULT_NOT_FOUND");
      const writer = await app.token({ principalId: "ada", scopes: ["vault.items:write"] });
      expect(reasonIn(await send(method, request, writer))).toBe("INSUFFICIENT_SCOPE");
      const token = await app.token({ principalId: "ada" });
      expect(reasonIn(await send(method, { ...request, unlockId: "1" }, token))).toBe("INVALID_FIELD");
    },
  );

  it("a token with bounds asks for no keys, and gets none that another token has asked for; one without bounds does", async () => {
    const bounded = await tokenWithBounds(app, "ada", { maxDeletions: 1 });
    expect(reasonIn(await send("RequestUnlock", wanted(), bounded))).toBe("VAULT_NOT_FOUND");
    const request = wanted();
    const unbounded = await tokenWithBounds(app, "ada", {});
    expect(await send("RequestUnlock", request, unbounded)).toMatchObject({ status: 200 });
    const { unlockId } = request;
    expect(reasonIn(await send("GetUnlock", { unlockId }, bounded))).toBe("VAULT_NOT_FOUND");
  });
});
