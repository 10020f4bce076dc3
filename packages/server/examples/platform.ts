import { createFileKeyStore, createListener, createPlatform, createSqliteStorage } from "@platform-rpc/server";
import { pino } from "pino";

const logger = pino();
const storage = createSqliteStorage({ path: "platform.sqlite" });
const platform = await createPlatform({
  storage,
  keys: createFileKeyStore("keys.json"),
  issuer: "https://id.example",
  audience: "https://api.example",
  brokerAudience: "https://broker.example",
});
for (const { name, everyMs, run } of platform.jobs) {
  const runLogged = () => run().catch((error: unknown) => logger.error({ err: error, job: name }, "job failed"));
  runLogged();
  setInterval(runLogged, everyMs).unref();
}

const listener = createListener(platform, { logger });
const { port } = await listener.listen(8080, "127.0.0.1");
console.log(`listening on ${port}`);

// Running calls finish, then the storage closes.
process.once("SIGTERM", () => listener.close().then(() => storage.close()));
