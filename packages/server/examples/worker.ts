import { createFetchHandler, createPlatform, type KeyStore, type Storage } from "@platform-rpc/server/fetch";

const logger = {
  info: (fields: object, message: string) => console.log(message, fields),
  error: (fields: object, message: string) => console.error(message, fields),
};

async function createHandler(storage: Storage, keys: KeyStore) {
  const platform = await createPlatform({
    storage,
    keys,
    issuer: "https://id.example",
    audience: "https://api.example",
    brokerAudience: "https://broker.example",
  });
  return createFetchHandler(platform, { logger });
}

/** The default export of a worker, with your adapters. The first request creates the platform. */
export function createWorker(storage: Storage, keys: KeyStore) {
  let created: ReturnType<typeof createHandler> | undefined;
  return {
    async fetch(request: Request): Promise<Response> {
      created ??= createHandler(storage, keys).catch((error: unknown) => {
        // The next request tries again.
        created = undefined;
        throw error;
      });
      const handle = await created;
      return handle(request);
    },
  };
}
