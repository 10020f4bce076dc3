import { describe } from "vitest";
import { serveTestsOver } from "./test-server.js";

serveTestsOver("tls");

// The protections of the listener, over HTTPS. How many pipelined requests are read at once is another matter there: one
// record of TLS holds many.
describe.each(["malformed-http", "connection-bounds", "request-body", "deadlines-and-close", "in-flight"])(
  "over TLS: %s",
  async (suite) => {
    await import(`./${suite}.test.ts`);
  },
);
