import { describe } from "vitest";
import { serveTestsOver } from "./test-server.js";

serveTestsOver("tls");

// The protections of the listener, over HTTPS. How many pipelined requests are read at once is another matter there: one
// record of TLS holds many.
describe("over TLS", async () => {
  await import("./connections.test.js");
  await import("./malformed-http.test.js");
  await import("./connection-bounds.test.js");
  await import("./request-body.test.js");
  await import("./deadlines-and-close.test.js");
  await import("./in-flight.test.js");
});
