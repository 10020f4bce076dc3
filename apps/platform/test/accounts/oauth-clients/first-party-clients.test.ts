import { ownCall } from "@platform-rpc/accounts/http/own-call";
import { offersBounds, registerFirstPartyClients } from "@platform-rpc/accounts/oauth-clients/first-party-clients";
import { inMemoryPlatform } from "@platform-rpc/accounts/testing/in-memory-platform";
import { isRedirectUri } from "@platform-rpc/server/host";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { call, errorIn } from "../../../src/testing/call.js";
import { startMemberApp, tenantId } from "../members/testing/start-member-app.js";

const everyScope = [
  "identity.device_authorizations:exchange",
  "vault.items:delete",
  "vault.items:read",
  "vault.items:restore",
  "vault.items:write",
  "vaults:manage",
];
const principalId = "ada";
const started = z.object({ deviceCode: z.string(), userCode: z.string() });
const exchanged = z.object({ accessToken: z.string(), brokerToken: z.object({ scopes: z.array(z.string()) }) });

const app = await startMemberApp();
afterAll(() => app.end());

describe("the OAuth clients of the platform's own programs", () => {
  it.each(["platform-cli", "platform-console", "platform-mcp"])(
    "%s can get every scope but that of administrators",
    async (oauthClientId) => {
      const scopes = [...everyScope, "platform.internal:admin"];
      const token = await app.token({
        principalId,
        oauthClientId,
        scopes: ["identity.device_authorizations:exchange"],
      });
      const start = { tenantId, oauthClientId, scopes };
      const codes = await app.admin("DeviceAuthorizationService/StartDeviceAuthorization", start);
      const { deviceCode, userCode } = started.parse(codes);
      const approval = { tenantId, principalId, userCode, scopes };
      await app.admin("DeviceAuthorizationService/ApproveDeviceAuthorization", approval);
      const exchange = "platform.v1.IdentityGatewayService/ExchangeMcpOauthDeviceAuthorization";
      const { json } = await call(app.publicUrl, exchange, { deviceCode }, token);
      const { accessToken, brokerToken } = exchanged.parse(json);
      expect(brokerToken.scopes).toEqual(everyScope);
      expect((await app.member("ListVaults", {}, accessToken)).json).toEqual({ vaults: [], nextPageToken: "" });
    },
  );

  it.each([
    [
      "platform-cli",
      ["http://127.0.0.1/callback", "http://[::1]/callback"],
      ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
    ],
    ["platform-console", [], []],
    ["platform-mcp", [], []],
  ])("%s may send the browser back to %j, with the grants %j", async (oauthClientId, redirectUris, grantTypes) => {
    const { own, secrets, clock, close } = await inMemoryPlatform();
    onTestFinished(close);
    await registerFirstPartyClients({ tenantId, operations: own, secrets, clock });
    const registered = await own.getOauthClient({ tenantId, oauthClientId });
    expect(registered).toMatchObject({ redirectUris, grantTypes, requirePushedAuthorizationRequests: false });
    expect(redirectUris.filter((uri) => !isRedirectUri(uri))).toEqual([]);
  });

  it.each([
    ["platform-console", undefined, "read", false],
    ["platform-cli", undefined, "read", false],
    ["platform-cli", undefined, "use", false],
    ["platform-mcp", undefined, "read", true],
    ["agent", true, "read", false],
    ["agent", true, "use", true],
  ])("of %s with unbounded %j that asks to %s: whether people are offered bounds is %j", (...row) => {
    const [oauthClientId, unbounded, action, offered] = row;
    expect(offersBounds({ oauthClientId, unbounded }, [`vault.items:${action}`])).toBe(offered);
  });

  it("an operation that a new version adds is allowed once: what an operator removes or disables stays so", async () => {
    const { own, secrets, clock, close } = await inMemoryPlatform();
    onTestFinished(close);
    const register = () => registerFirstPartyClients({ tenantId, operations: own, secrets, clock });
    const allowed = async (oauthClientId: string) =>
      (await own.getOauthClient({ tenantId, oauthClientId }))?.allowedOperations ?? [];
    const set = async (oauthClientId: string, allowedOperations: readonly string[]) => {
      const client = await own.getOauthClient({ tenantId, oauthClientId });
      if (client === undefined) expect.unreachable("it is registered");
      await own.setOauthClient({ ...client, allowedOperations }, ownCall("operator", secrets));
    };
    const old = ["platform.v1.VaultService/DeleteItem", "platform.accounts.v1.MemberVaultService/ListVaults"];
    const [one = "", other = ""] = old;
    // As a version without the record has left them, with the command line narrowed and disabled by an operator.
    const client = { tenantId, name: "Platform", enabled: true };
    await own.setOauthClient(
      { ...client, oauthClientId: "platform-console", allowedOperations: old },
      ownCall("old", secrets),
    );
    await own.setOauthClient(
      { ...client, oauthClientId: "platform-cli", allowedOperations: [one], enabled: false },
      ownCall("old", secrets),
    );
    await register();
    const added = "platform.accounts.v1.MemberVaultService/CreateVault";
    expect(await allowed("platform-console")).toEqual(expect.arrayContaining([one, other, added]));
    expect(await allowed("platform-cli")).toContain(added);
    expect(await allowed("platform-cli")).not.toContain(other);
    expect(await own.getOauthClient({ tenantId, oauthClientId: "platform-cli" })).toMatchObject({ enabled: false });
    await set("platform-console", old);
    await register();
    expect(await allowed("platform-console")).toEqual(old);
  });

  it("an allowlist names operations of members, and none of administrators", async () => {
    const set = (allowedOperations: string[]) =>
      call(
        app.internalUrl,
        "platform.internal.v1.AccessAdminService/SetOauthClient",
        { tenantId, oauthClientId: "c-1", name: "C", allowedOperations, enabled: true },
        app.adminToken,
      );
    const listing = "platform.accounts.v1.MemberVaultService/ListChanges";
    expect((await set([listing, "platform.v1.VaultService/DeleteItem"])).status).toBe(200);
    const rejected = await set([listing, "platform.internal.v1.VaultAdminService/ListChanges", `/${listing}`]);
    expect(errorIn(rejected)).toMatchObject({
      reason: "INVALID_FIELD",
      fields: ["allowedOperations[1]", "allowedOperations[2]"],
    });
  });
});
