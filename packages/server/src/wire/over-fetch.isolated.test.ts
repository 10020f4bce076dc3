import { describe } from "vitest";
import { serveTestsOver } from "./test-server.js";

serveTestsOver("fetch");

// What a fetch handler could break: it reads a Request and returns a Response. Its host is responsible for parsing, connections and
// the stop.
describe("over a fetch handler, whose host parses requests, manages connections and stops", async () => {
  await import("./cors.test.js");
  await import("./delete-item.test.js");
  await import("./gate-order.test.js");
  await import("./hosts.test.js");
  await import("./in-flight.test.js");
  await import("./item-cases.test.js");
  await import("./log.test.js");
  await import("./stock-clients.test.js");
  await import("./unencodable.test.js");
});
