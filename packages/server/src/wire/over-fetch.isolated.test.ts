import { describe } from "vitest";
import { serveTestsOver } from "./test-server.js";

serveTestsOver("fetch");

// The guarantees of a fetch handler for calls. Its host is responsible for parsing, connections and the stop.
describe("over a fetch handler, whose host parses requests, manages connections and stops", async () => {
  await import("./access.test.js");
  await import("./cors.test.js");
  await import("./delete-item.test.js");
  await import("./delete-item-concurrency.test.js");
  await import("./exchange.test.js");
  await import("./exchange-replay.test.js");
  await import("./gate-order.test.js");
  await import("./hosts.test.js");
  await import("./in-flight.test.js");
  await import("./device-cases.test.js");
  await import("./item-cases.test.js");
  await import("./json-decoding.test.js");
  await import("./log.test.js");
  await import("./unencodable.test.js");
  await import("./stock-clients.test.js");
});
