import { describe } from "vitest";
import { serveTestsOver } from "./test-server.js";

serveTestsOver("handle");

// What a listener could break that is mounted in another server, which is responsible for connections and parse errors: bodies,
// deadlines, and the responses to callers that leave.
describe("over listener.handle, whose server manages connections and parse errors", async () => {
  await import("./deadlines-and-close.isolated.test.js");
  await import("./error-reasons.test.js");
  await import("./in-flight.test.js");
  await import("./request-body.test.js");
});
