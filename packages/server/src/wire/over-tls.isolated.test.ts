import { describe } from "vitest";
import { serveTestsOver } from "./test-server.js";

serveTestsOver("tls");

// The limits of the listener over HTTPS, except the number of pipelined requests that are read at once: one TLS record can
// contain many.
describe("over TLS", async () => {
  await import("./connections.test.js");
  await import("./malformed-http.test.js");
  await import("./device-cases.test.js");
  await import("./item-cases.test.js");
  await import("./connection-bounds.test.js");
  await import("./request-body.test.js");
  await import("./deadlines-and-close.isolated.test.js");
  await import("./in-flight.test.js");
});
