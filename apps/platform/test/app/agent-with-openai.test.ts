import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import { startTestApp } from "../../src/testing/start-test-app.js";
import { newBrokerSetUp } from "./testing/broker-set-up.js";

const example = fileURLToPath(new URL("../../examples/agent-with-openai.ts", import.meta.url));
const app = await startTestApp({ DEMO: "on" });
afterAll(() => app.end());

it("docs/agents.md: a program with the library openai asks once, and sends its requests through the broker", async () => {
  const { commandLine, startBroker, upstream, host, port } = await newBrokerSetUp(app);
  await startBroker();
  upstream.answer = (_, response) =>
    response.setHeader("Content-Type", "application/json").end('{"data":[{"id":"m-1"}]}');
  const environment = { ACCOUNTS_URL: app.accountsUrl, OPENAI_BASE_URL: `http://127.0.0.1:${port}/${host}/v1` };
  const run = () => commandLine.start([process.execPath, example], environment);
  const asking = run();
  await commandLine.approve(await asking.printed(/enter (\S+)\n/));
  expect(await asking.ended).toMatchObject({ code: 0, out: "m-1\n" });
  expect(await run().ended).toEqual({ code: 0, out: "m-1\n", err: "" });
  expect(upstream.count("/v1/models")).toBe(2);
});
