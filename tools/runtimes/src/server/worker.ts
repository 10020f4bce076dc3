import {
  createFetchHandler,
  createMemoryKeyStore,
  createPlatform,
  type Document,
  jsonDocument,
  type Logger,
} from "@platform-rpc/server/fetch";
import { createMemoryStorage } from "./memory-storage.ts";
import { seed } from "./seed.ts";

/** The storage never answers a call for this item. */
const slowItem = "i-slow";
let slowCalls = 0;
const logger: Logger = { info: () => {}, error: (fields, message) => console.error(message, fields) };
const large = { status: 200, contentType: "text/plain", body: "compressible ".repeat(1_000) };

async function createHandler() {
  const storage = createMemoryStorage();
  const platform = await createPlatform({
    storage: {
      ...storage,
      transact(ref, rule, options) {
        if (ref.kind !== "item" || ref.itemId !== slowItem) return storage.transact(ref, rule, options);
        slowCalls += 1;
        return new Promise(() => {});
      },
    },
    keys: createMemoryKeyStore(),
    issuer: "https://id.example",
    audience: "https://api.example",
    brokerAudience: "https://broker.example",
  });
  const documents = new Map<string, Document | (() => Document)>([
    ["/large", large],
    ["/slow-calls", () => jsonDocument(200, slowCalls)],
  ]);
  const handle = createFetchHandler(platform, { logger, documents, limits: { callsInFlight: 1 } });
  return { platform, handle };
}

// A worker does no work before its first request.
let created: ReturnType<typeof createHandler> | undefined;

export const worker = {
  async fetch(request: Request): Promise<Response> {
    created ??= createHandler();
    const { platform, handle } = await created;
    if (new URL(request.url).pathname === "/seed") return Response.json(await seed(platform));
    return handle(request);
  },
};
