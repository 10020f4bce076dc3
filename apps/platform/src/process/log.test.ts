import { expect, it } from "vitest";
import { createLog } from "./log.js";

it("the log replaces a field that contains a secret, and writes all others as they are", () => {
  const lines: string[] = [];
  const state = () => ({ droppedLines: 0, error: undefined });
  const writer = { write: (line: string) => void lines.push(line), state, onRecovered() {}, flushAtExit() {} };
  createLog("info", writer).info(
    { requestId: "r-1", route: "/a?request_uri=urn:ietf:params:oauth:request_uri:x" },
    "request",
  );
  expect(JSON.parse(lines.join(""))).toMatchObject({ requestId: "r-1", route: "[redacted]", msg: "request" });
});
