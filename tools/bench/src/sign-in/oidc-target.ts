import { generateKeyPairSync } from "node:crypto";
import { type KoaContextWithOIDC, Provider } from "oidc-provider";
import { createMemoryAdapter } from "oidc-provider/lib/adapters/memory_adapter.js";
import { serveTarget } from "../load/serve-target.ts";
import { listen } from "../platform/start-servers.ts";
import { deviceGrant, endpoints, oauthClientId, scope } from "./token-requests.ts";

// node-oidc-provider with the grants and the tokens of the platform app: access tokens are JWTs, and refresh tokens rotate.

const resource = "https://api.example";
const accountId = "person";
const alg = "Ed25519";
const jwk = generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" });
const createAdapter = createMemoryAdapter();
/** Replaces the adapter's own store, which forgets the oldest records: thousands of device codes wait for their exchange. */
const store = new Map<string, unknown>();

const provider = new Provider("https://id.example", {
  adapter: (model: string) => Object.assign(createAdapter(model), { store }),
  jwks: { keys: [{ ...jwk, kty: "OKP", alg, use: "sig" }] },
  clients: [
    {
      client_id: oauthClientId,
      token_endpoint_auth_method: "none",
      grant_types: [deviceGrant, "refresh_token"],
      response_types: [],
      redirect_uris: [],
      id_token_signed_response_alg: alg,
    },
  ],
  routes: { token: endpoints.token, device_authorization: endpoints.device },
  features: {
    devInteractions: { enabled: false },
    deviceFlow: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => resource,
      useGrantedResource: () => true,
      getResourceServerInfo: () => ({ scope, audience: resource, accessTokenFormat: "jwt", jwt: { sign: { alg } } }),
    },
  },
  issueRefreshToken: () => true,
  rotateRefreshToken: true,
});

// A person approves each device code at once.
provider.use(async (context: KoaContextWithOIDC, next: () => Promise<void>) => {
  await next();
  const code = context.oidc?.entities.DeviceCode;
  if (context.oidc?.route !== "device_authorization" || code === undefined) return;
  const grant = new provider.Grant({ accountId, clientId: oauthClientId });
  grant.addResourceScope(resource, scope);
  Object.assign(code, { accountId, scope, resource, grantId: await grant.save() });
  await code.save();
});

const { port } = await listen(provider.callback());
serveTarget(port);
