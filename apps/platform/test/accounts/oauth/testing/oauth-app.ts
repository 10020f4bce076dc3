import {
  deviceGrant,
  type OAuthAnswer,
  type Parameters,
  post,
  postWithKey,
  type TestKey,
  textOf,
} from "@platform-rpc/accounts/oauth/testing/oauth-calls";
import { publicOperations } from "@platform-rpc/server/host";
import { call } from "../../../../src/testing/call.js";
import { startTestApp, type TestApp } from "../../../../src/testing/start-test-app.js";

export const tenantId = "acme";
const principalId = "ada";
export const clientId = "agent";
export const deletion = "platform.v1.VaultService/DeleteItem";
export const deleteScope = "vault.items:delete";
export const exchangeScope = "identity.device_authorizations:exchange";
/** The scopes of all public operations, ordered. */
export const publicScopes = [
  ...new Set([...publicOperations.values()].flatMap(({ requiredScopes }) => requiredScopes)),
].sort();
const exchange = "platform.v1.IdentityGatewayService/ExchangeMcpOauthDeviceAuthorization";

/** How long a second window of a program gets the same refresh token. */
export const sharedTimeMs = 30_000;

/** An app with an OAuth client and an active principal. */
export interface OAuthApp extends TestApp {
  readonly accounts: string;
  readonly pages: string;
  readonly token: string;
  /** Advances the clock of the app beyond the time in which a second window gets the same refresh token. */
  passSharedTime(): void;
  setClient(enabled: boolean, allowedOperations?: readonly string[]): Promise<void>;
  start(form?: Parameters, key?: TestKey): Promise<{ readonly deviceCode: string; readonly userCode: string }>;
  approve(userCode: string, scopes?: readonly string[], bounds?: object): Promise<void>;
  /** Signs in: starts, approves and redeems a device code. */
  signIn(key?: TestKey, form?: Parameters, bounds?: object): Promise<OAuthAnswer>;
  refresh(refreshToken: string, form?: Parameters, key?: TestKey): Promise<OAuthAnswer>;
  /** Calls the API, and returns the status: 404 for a valid token, because the vault does not exist. */
  callApi(accessToken: string): Promise<number>;
}

export async function startOAuthApp(environment: Readonly<Record<string, string>> = {}): Promise<OAuthApp> {
  let passed = 0;
  const clocks = { wall: () => Date.now() + passed, monotonic: () => performance.now() + passed };
  const app = await startTestApp({ ACCOUNTS_TENANT: tenantId, ...environment }, { clocks });
  const { accountsUrl: accounts = "", pagesUrl: pages = "", admin } = app;
  const token = `${accounts}/oauth/token`;
  const send = (url: string, form: Parameters, key: TestKey | undefined) =>
    key === undefined ? post(url, form) : postWithKey(url, form, key);
  const setClient = async (enabled: boolean, allowedOperations: readonly string[] = [deletion, exchange]) => {
    const client = { tenantId, oauthClientId: clientId, name: "Agent", allowedOperations, enabled };
    await admin("AccessAdminService/SetOauthClient", client);
  };
  await setClient(true);
  await admin("AccessAdminService/SetPrincipal", { tenantId, principalId, active: true });

  const start: OAuthApp["start"] = async (form = {}, key) => {
    const answer = await send(`${accounts}/oauth/device_authorization`, { client_id: clientId, ...form }, key);
    return { deviceCode: textOf(answer, "device_code"), userCode: textOf(answer, "user_code") };
  };
  const approve: OAuthApp["approve"] = async (userCode, scopes = [deleteScope, exchangeScope], bounds = undefined) => {
    const approval = { tenantId, principalId, userCode, scopes, bounds };
    await admin("DeviceAuthorizationService/ApproveDeviceAuthorization", approval);
  };
  return {
    ...app,
    accounts,
    pages,
    token,
    passSharedTime() {
      passed += sharedTimeMs;
    },
    setClient,
    start,
    approve,
    async signIn(key, form = {}, bounds = undefined) {
      const { deviceCode, userCode } = await start({}, key);
      await approve(userCode, undefined, bounds);
      return send(token, { grant_type: deviceGrant, client_id: clientId, device_code: deviceCode, ...form }, key);
    },
    refresh: (refreshToken, form = {}, key) =>
      send(token, { grant_type: "refresh_token", client_id: clientId, refresh_token: refreshToken, ...form }, key),
    async callApi(accessToken) {
      const { status } = await call(
        app.publicUrl,
        deletion,
        { vaultId: "v", itemId: "i", baseVersion: 1 },
        accessToken,
      );
      return status;
    },
  };
}
