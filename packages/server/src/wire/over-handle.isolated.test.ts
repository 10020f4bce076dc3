import { describe } from "vitest";
import { serveTestsOver } from "./test-server.js";

serveTestsOver("handle");

// The guarantees of a listener for calls, mounted in another server, which is responsible for connections and parse errors.
describe("over listener.handle, whose server manages connections and parse errors", async () => {
  await import("./access.test.js");
  await import("./cors.test.js");
  await import("./deadlines-and-close.isolated.test.js");
  await import("./delete-item.test.js");
  await import("./delete-item-concurrency.test.js");
  await import("./error-reasons.test.js");
  await import("./exchange.test.js");
  await import("./exchange-replay.test.js");
  await import("./gate-order.test.js");
  await import("./hosts.test.js");
  await import("./in-flight.test.js");
  await import("./device-cases.test.js");
  await import("./item-cases.test.js");
  await import("./json-decoding.test.js");
  await import("./log.test.js");
  await import("./request-body.test.js");
  await import("./stock-clients.test.js");
  await import("./unencodable.test.js");
});
