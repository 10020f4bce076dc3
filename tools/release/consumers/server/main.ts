import { createRequire } from "node:module";
import { createPlatformClient, isPlatformError } from "@platform-rpc/client";
import {
  createListener,
  createMemoryKeyStore,
  createPlatform,
  createThreadedSqliteStorage,
} from "@platform-rpc/server";
import { fakeClock } from "@platform-rpc/server/testing";
import { VaultService } from "@platform-rpc/types";

// Starts a server with the published package, and calls it with the published client. The storage starts a file of the package.
const storage = await createThreadedSqliteStorage({ path: ":memory:" });
const platform = await createPlatform({
  storage,
  keys: createMemoryKeyStore(),
  issuer: "https://id.example",
  audience: "https://api.example",
  brokerAudience: "https://broker.example",
  clock: fakeClock(Date.now()),
});
const silent = () => {};
const listener = createListener(platform, { logger: { info: silent, error: silent } });
const { port } = await listener.listen(0, "127.0.0.1");

const unauthenticated = createPlatformClient({ baseUrl: `http://127.0.0.1:${port}`, token: "none" });
const refused = await unauthenticated.vault
  .deleteItem({ vaultId: "v-1", itemId: "i-1", baseVersion: 1 })
  .catch((error: unknown) => error);
if (!isPlatformError(refused, "UNAUTHENTICATED")) throw new Error("An unknown token is not rejected.");
await listener.close();
await storage.close();

// Loads the same package as a CommonJS program does.
const commonJs: { readonly createThreadedSqliteStorage: typeof createThreadedSqliteStorage } = createRequire(
  import.meta.url,
)("@platform-rpc/server");
const required = await commonJs.createThreadedSqliteStorage({ path: ":memory:" });
await required.check();
await required.close();
console.log(`${VaultService.typeName}: passed`);
