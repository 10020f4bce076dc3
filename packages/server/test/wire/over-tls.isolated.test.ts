import { describe } from "vitest";
import { serveTestsOver } from "./test-server.js";

serveTestsOver("tls");

// What TLS could break: connections, their limits, and bodies. The number of pipelined requests that are read at once has no limit,
// because one TLS record can contain many.
describe("over TLS", async () => {
  await import("./connection-bounds.test.js");
  await import("./connections.test.js");
  await import("./request-body.test.js");
});
