import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call } from "../../testing/call.js";
import { reasonIn } from "../../testing/item-answer.js";
import { type MemberApp, startMemberApp } from "./testing/start-member-app.js";
import { tokenWithBounds } from "./testing/token-with-bounds.js";

let app: MemberApp;
beforeAll(async () => {
  app = await startMemberApp({ RATE_LIMITS: "off" });
});
afterAll(() => app.end());

const send = (method: string, body: object, token: string) =>
  call(app.accountsUrl, `platform.accounts.v1.ProgramUnlockService/${method}`, body, token);
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

  it.each<[string, (vaultId: string) => object]>([
    ["some vaults", (vaultId) => ({ vaultIds: [vaultId] })],
    ["reading", () => ({ actions: ["read"] })],
    ["changes, without reading", () => ({ actions: ["write", "delete", "restore"] })],
    ["a number of deletions", () => ({ maxDeletions: 1 })],
    ["a time", () => ({ expiresAt: new Date(Date.now() + 3_600_000).toISOString() })],
  ])(
    "a token that is bounded to %s asks for no keys, and gets none that another token has asked for",
    async (_, of) => {
      const bounds = of(await app.vault({ ada: "owner" }));
      const bounded = await tokenWithBounds(app, "ada", bounds);
      expect(reasonIn(await send("RequestUnlock", wanted(), bounded))).toBe("VAULT_NOT_FOUND");
      const request = wanted();
      await send("RequestUnlock", request, await app.token({ principalId: "ada" }));
      const { unlockId } = request;
      expect(reasonIn(await send("GetUnlock", { unlockId }, bounded))).toBe("VAULT_NOT_FOUND");
    },
  );

  it("a token of an approval without bounds asks for keys", async () => {
    const token = await tokenWithBounds(app, "ada", {});
    expect(await send("RequestUnlock", wanted(), token)).toMatchObject({ status: 200 });
  });
});
