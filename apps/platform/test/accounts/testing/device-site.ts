import { onTestFinished } from "vitest";
import * as z from "zod";
import { createAdminClients } from "../../../src/rpc/admin-clients.js";
import { call } from "../../../src/testing/call.js";
import { startTestApp } from "../../../src/testing/start-test-app.js";

const tenantId = "acme";
const oauthClientId = "agent";
const redirectUris = ["127.0.0.1", "[::1]", "localhost"].map((host) => `http://${host}/callback`);
const scopes = ["vault.items:delete", "identity.device_authorizations:exchange"];
const deletes = "platform.v1.VaultService/DeleteItem";
const exchanges = "platform.v1.IdentityGatewayService/ExchangeMcpOauthDeviceAuthorization";
const oauthAnswer = z.object({
  device_code: z.string().default(""),
  user_code: z.string().default(""),
  access_token: z.string().default(""),
});
const exchanged = z.object({ status: z.string() });

export interface DeviceSiteOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly atEnd?: (end: () => Promise<void>) => void;
}

export type DeviceSite = Awaited<ReturnType<typeof startDeviceSite>>;

/**
 * Starts the app in this process, with a clock that the test advances, and an agent that asks for access.
 *
 * @param options.atEnd registers a function that ends the app. Default: calls it after the test.
 */
export async function startDeviceSite({ environment = {}, atEnd = onTestFinished }: DeviceSiteOptions = {}) {
  let passed = 0;
  const clocks = { wall: () => Date.now() + passed, monotonic: () => performance.now() + passed };
  const app = await startTestApp({ ACCOUNTS_TENANT: tenantId, ...environment }, { clocks });
  atEnd(() => app.end());
  const { access, authorizations } = createAdminClients(app);
  const allow = (allowedOperations: string[]) =>
    access.setOauthClient({ tenantId, oauthClientId, name: "Agent", allowedOperations, enabled: true, redirectUris });
  await allow([deletes, exchanges]);
  await access.setPrincipal({ tenantId, principalId: "agent-host", active: true });
  return {
    tenantId,
    origin: app.pagesUrl ?? "",
    issuer: app.accountsUrl ?? "",
    admin: app.admin,
    /** Advances the clock of the app by `ms` milliseconds. */
    advance(ms: number) {
      passed += ms;
    },
    startDevice: () => authorizations.startDeviceAuthorization({ tenantId, oauthClientId, scopes }),
    /** Exchanges a device code as the agent does, and returns the status. */
    async exchange({ deviceCode }: { readonly deviceCode: string }): Promise<string> {
      const issued = await access.issueAccessToken({ tenantId, principalId: "agent-host", oauthClientId, scopes });
      const { json } = await call(app.publicUrl, exchanges, { deviceCode }, issued.accessToken);
      return exchanged.parse(json).status;
    },
    /** Starts a device authorization at the OAuth endpoint. `collect` gets its tokens, which can be renewed. */
    async startOauth() {
      const post = async (endpoint: string, fields: Record<string, string>) => {
        const body = new URLSearchParams({ client_id: oauthClientId, ...fields });
        const response = await fetch(`${app.accountsUrl}/oauth/${endpoint}`, { method: "POST", body });
        return oauthAnswer.parse(await response.json());
      };
      const { device_code, user_code } = await post("device_authorization", {});
      const grant_type = "urn:ietf:params:oauth:grant-type:device_code";
      return { userCode: user_code, collect: () => post("token", { grant_type, device_code }) };
    },
    /** Removes deleting from what the agent may do: an exchange no longer grants it. */
    async forbidDeletions() {
      await allow([exchanges]);
    },
  };
}
