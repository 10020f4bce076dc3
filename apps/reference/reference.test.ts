import { fileURLToPath } from "node:url";
import { startProgram } from "@platform-rpc/testbed/processes";
import { expect, it } from "vitest";

it("a client handles a conflict with the server, and an agent stays within what a person allows", async () => {
  const demo = startProgram([process.execPath, fileURLToPath(new URL("demo.ts", import.meta.url))]);
  expect({ code: await demo.ended, errors: demo.err() }).toEqual({ code: 0, errors: "" });
  const printed = demo.out().replaceAll(/http:\/\/\S+/g, "<url>");
  expect(printed.replace(/enter \S+/, "enter <code>").split("\n")).toEqual([
    "",
    "$ node server.ts",
    "serving 2 operations at <url>",
    "",
    "$ node client.ts",
    "conflict: login-1 is at version 1, not 7",
    "login-1 is deleted: version 2, sequence 2",
    "",
    "$ node broker.ts",
    "a broker at <url>",
    "",
    "$ node agent.ts",
    "Open <url> and enter <code>",
    "approved",
    "demo-login is deleted at version 2",
    "demo-note is not deleted: 1 of 1 deletions are used",
    "the broker answers 200: an agent of demo-user",
    "",
  ]);
});
