import { expect, it } from "vitest";
import { findLocalServer } from "../../src/commands/login.js";
import { listen } from "../testing/run-program.js";

const { signal } = new AbortController();

it.each(["127.0.0.1", "localhost"])("finds the server on this machine whose metadata names %s", async (host) => {
  let resource = "";
  const { url } = await listen((_, response) =>
    response.end(JSON.stringify({ resource, authorization_servers: ["http://localhost:1"] })),
  );
  const { port } = new URL(url);
  resource = `http://${host}:${port}`;
  expect(await findLocalServer(signal, Number(port))).toEqual({ apiUrl: resource, issuer: "http://localhost:1" });
});

it.each([
  ["another program", "<html>"],
  [
    "a server with another URL",
    JSON.stringify({ resource: "https://api.example", authorization_servers: ["https://a.example"] }),
  ],
])("does not take %s for a platform", async (_, body) => {
  const { url } = await listen((_request, response) => response.end(body));
  expect(await findLocalServer(signal, Number(new URL(url).port))).toBeUndefined();
});

it("stops waiting for a server that does not answer", async () => {
  const { url, server } = await listen(() => {});
  const before = performance.now();
  expect(await findLocalServer(signal, Number(new URL(url).port))).toBeUndefined();
  expect(performance.now() - before).toBeLessThan(3_000);
  server.closeAllConnections();
});
