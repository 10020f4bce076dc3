import { createFileKeyStore, createListener, createPlatform, createSqliteStorage } from "@platform-rpc/server";

const platform = await createPlatform({
  storage: createSqliteStorage({ path: "platform.sqlite" }),
  keys: createFileKeyStore("keys.json"),
  issuer: "https://id.example",
  audience: "https://api.example",
  brokerAudience: "https://broker.example",
});
await createListener(platform, { logger: console }).listen(9080, "127.0.0.1");
