import { createRequire } from "node:module";
import { createPlatformClient, isPlatformError } from "@platform-rpc/client";
import {
  systemClock as clock,
  createAuthenticator,
  createGuessLimiter,
  createKeyRing,
  createListener,
  createMemoryKeyStore,
  createPlatform,
  createProofKeys,
  createSecrets,
  createSqliteStorage,
  createTokenIssuer,
  createTokenVerifier,
} from "@platform-rpc/server";
import { fakeClock } from "@platform-rpc/server/testing";
import { VaultService, Visibility } from "@platform-rpc/types";

// A server of one's own, called by a client of one's own.
const names = { issuer: "https://id.example", audience: "https://api.example" };
const storage = createSqliteStorage({ path: ":memory:" });
const keyRing = await createKeyRing({ store: createMemoryKeyStore(), clock });
const platform = createPlatform({
  storage,
  clock,
  secrets: createSecrets({ hmacKey: keyRing.hmacKey, clock }),
  issuer: createTokenIssuer({ keyRing, ...names, brokerAudience: "https://broker.example" }),
  authenticator: createAuthenticator({ verifier: createTokenVerifier({ keyRing, clock, ...names }), storage, clock }),
  proofKeys: createProofKeys(),
  rateLimiter: undefined,
  guesses: createGuessLimiter({ clock: fakeClock(0) }),
});
const silent = () => {};
const logger = { info: silent, error: silent };
const listener = createListener({ ...platform, visibility: Visibility.PUBLIC, logger });
const { port } = await listener.listen(0, "127.0.0.1");

const stranger = createPlatformClient({ baseUrl: `http://127.0.0.1:${port}`, token: "none" });
const refused = await stranger.vault
  .deleteItem({ vaultId: "v-1", itemId: "i-1", baseVersion: 1 })
  .catch((error: unknown) => error);
if (!isPlatformError(refused, "UNAUTHENTICATED")) throw new Error("A stranger is not refused.");
await listener.close();
await storage.close();

// The same package, as a CommonJS program loads it.
const commonJs: { readonly createListener?: unknown } = createRequire(import.meta.url)("@platform-rpc/server");
if (typeof commonJs.createListener !== "function") throw new Error("The package cannot be required.");
console.log(`${VaultService.typeName}: told`);
