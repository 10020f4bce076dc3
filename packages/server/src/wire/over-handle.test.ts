import { describe } from "vitest";
import { serveTestsOver } from "./test-server.js";

serveTestsOver("handle");

// What a listener promises of calls, mounted in a server of somebody else. Connections and parse errors are that server's.
describe.each([
  ...["access", "cors", "delete-item", "delete-item-concurrency", "exchange", "exchange-replay", "gate-order"],
  ...["in-flight", "json-decoding", "unencodable"],
])("over listener.handle: %s", async (suite) => {
  await import(`./${suite}.test.ts`);
});
