import { createFetchHandler, createKeyValueStorage, type Document, jsonDocument } from "@platform-rpc/server/fetch";
import { createMemoryStore } from "../../../server/src/storage/memory/create-memory-store.js";
import { createTestPlatform } from "./test-platform.js";

/** The storage never answers a call for this item. */
const slowItem = "i-slow";
let slowCalls = 0;
/** Below this path, the platform serves one call at a time. */
const oneAtATime = "/one-at-a-time";
const logger = { info: () => {}, error: (fields: object, message: string) => console.error(message, fields) };
const large = { status: 200, contentType: "text/plain", body: "compressible ".repeat(1_000) };

async function create() {
  const storage = createKeyValueStorage(createMemoryStore());
  const { platform, ask } = await createTestPlatform({
    storage: {
      ...storage,
      transact(ref, rule, options) {
        if (ref.kind !== "item" || ref.itemId !== slowItem) return storage.transact(ref, rule, options);
        slowCalls += 1;
        return new Promise(() => {});
      },
    },
  });
  const documents = new Map<string, Document | (() => Document)>([
    ["/large", large],
    ["/slow-calls", () => jsonDocument(200, slowCalls)],
    ["/.well-known/jwks.json", () => jsonDocument(200, platform.keyRing.jwks())],
  ]);
  const options = { logger, documents };
  return {
    ask,
    handle: createFetchHandler(platform, options),
    handleOne: createFetchHandler(platform, { ...options, basePath: oneAtATime, limits: { callsInFlight: 1 } }),
  };
}

// A worker does no work before its first request.
let created: ReturnType<typeof create> | undefined;

/** A worker with the whole platform, whose storage is in memory. Paths below /test are for `ask`. */
export const worker = {
  async fetch(request: Request): Promise<Response> {
    created ??= create();
    const { ask, handle, handleOne } = await created;
    const { pathname } = new URL(request.url);
    if (pathname.startsWith("/test/")) return Response.json(await ask(pathname.slice(5), await request.json()));
    return pathname.startsWith(oneAtATime) ? handleOne(request) : handle(request);
  },
};
