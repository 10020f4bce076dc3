import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeRuntimes } from "./describe-runtimes.js";
import type { User } from "./environment.js";
import { bundle, forWorkers, node, workerd } from "./runtimes.js";
import { startWorkerd } from "./start-workerd.js";

const { script, inputs } = await bundle('export { worker as default } from "./worker.js"', forWorkers);

it("@platform-rpc/server/fetch imports no module of Node but those that its README names", () => {
  const external = inputs.flatMap(({ imports }) => imports).filter(({ external }) => external);
  expect([...new Set(external.map(({ path }) => path))].sort()).toEqual(["node:crypto", "node:util", "node:zlib"]);
});

describe.skipIf(workerd.skip)(`@platform-rpc/server/fetch in ${workerd.title}`, () => {
  let worker: Awaited<ReturnType<typeof startWorkerd>>;
  const ask = async (path: string, query: Readonly<Record<string, string>>) =>
    (await fetch(`${worker.url}/test${path}`, { method: "POST", body: JSON.stringify(query) })).json();
  beforeAll(async () => {
    worker = await startWorkerd(script);
  });

  describe("passes the suite of a client", () => {
    describeRuntimes([node(24, "ES modules", "esm")], async () => ({ baseUrl: worker.url, ask, stop: async () => {} }));
  });

  describe("serving one call at a time", () => {
    const path = "/one-at-a-time/platform.v1.VaultService/DeleteItem";
    let user: User;
    let slow: User["item"];
    beforeAll(async () => {
      user = await ask("/new-user", {});
      slow = { ...user.item, itemId: "i-slow" };
    });

    it("answers DEADLINE_EXCEEDED while the storage does not answer", async () => {
      const response = await call(slow, { "Connect-Timeout-Ms": "50" });
      expect(response.status).toBe(504);
      expect(await response.text()).toContain("DEADLINE_EXCEEDED");
    });

    it("sends a compressed document encoded once", async () => {
      const read = () => fetch(`${worker.url}/large`, { headers: { "Accept-Encoding": "br" } });
      await expect.poll(async () => (await read()).headers.get("Content-Encoding")).toBe("br");
      expect(await (await read()).text()).toBe("compressible ".repeat(1_000));
    });

    it("releases the place of a call whose caller goes away", async () => {
      const before = await slowCalls();
      const body = JSON.stringify(slow);
      const socket = connect(Number(new URL(worker.url).port), "127.0.0.1");
      const headers = { ...headersOf(), Host: "x", "Content-Length": `${body.length}` };
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.write(`POST ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
      await expect.poll(slowCalls).toBe(before + 1);
      expect((await call(user.item)).status).toBe(503);
      socket.resetAndDestroy();
      await expect.poll(async () => (await call(user.item)).status).toBe(200);
    });

    const slowCalls = async () => Number(await (await fetch(`${worker.url}/slow-calls`)).text());
    const headersOf = () => ({
      Authorization: `Bearer ${user.token}`,
      "Content-Type": "application/json",
      "Connect-Protocol-Version": "1",
    });
    const call = (input: object, headers: object = {}) =>
      fetch(worker.url + path, {
        method: "POST",
        headers: { ...headersOf(), ...headers },
        body: JSON.stringify(input),
      });
  });

  afterAll(() => worker.stop());
});
