import {
  systemClock as clock,
  createAuthenticator,
  createFileKeyStore,
  createGuessLimiter,
  createKeyRing,
  createListener,
  createPlatform,
  createProofKeys,
  createRateLimiter,
  createSecrets,
  createSqliteStorage,
  createTokenIssuer,
  createTokenVerifier,
} from "@platform-rpc/server";
import { Visibility } from "@platform-rpc/types";
import { pino } from "pino";

const names = { issuer: "https://id.example", audience: "https://api.example" };
const storage = createSqliteStorage({ path: "platform.sqlite" });
const keyRing = await createKeyRing({ store: createFileKeyStore("keys.json"), clock });
const platform = createPlatform({
  storage,
  clock,
  secrets: createSecrets({ hmacKey: keyRing.hmacKey, clock }),
  issuer: createTokenIssuer({ keyRing, ...names, brokerAudience: "https://broker.example" }),
  authenticator: createAuthenticator({ verifier: createTokenVerifier({ keyRing, clock, ...names }), storage, clock }),
  proofKeys: createProofKeys(),
  rateLimiter: createRateLimiter({ clock }),
  guesses: createGuessLimiter({ clock }),
});
const listener = createListener({ ...platform, visibility: Visibility.PUBLIC, logger: pino() });
const { port } = await listener.listen(8080, "127.0.0.1");
console.log(`listening on ${port}`);

// Running calls finish, then the storage closes.
process.once("SIGTERM", () => listener.close().then(() => storage.close()));
