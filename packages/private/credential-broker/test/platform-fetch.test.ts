import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { expect, it, onTestFinished } from "vitest";
import { fetchPlatform } from "../src/platform-fetch.js";

/** Calls a server that answers in a way. */
async function call(answer: RequestListener, signal = new AbortController().signal) {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/Use`;
  const headers = { authorization: "Bearer token" };
  return fetchPlatform(url, { method: "POST", headers, body: "é", signal, redirect: "manual" });
}

it("sends a call, and returns the answer with its headers", async () => {
  const response = await call(async (request, response) => {
    const [chunk] = await once(request, "data");
    const { method, url, headers } = request;
    response.writeHead(409, { "Retry-After": "1", "X-More": ["a", "b"] });
    response.end(`${method} ${url} ${headers.authorization} ${headers["content-length"]} ${chunk}`);
  });
  expect(response.status).toBe(409);
  expect(await response.text()).toBe("POST /Use Bearer token 2 é");
  expect([response.headers.get("retry-after"), response.headers.get("x-more")]).toEqual(["1", "a, b"]);
});

it("rejects an answer of more than 1 MiB, and one that ends early", async () => {
  await expect(call((_, response) => response.end(Buffer.alloc(1_048_577)))).rejects.toThrow("too large");
  const broken = call((_, response) => {
    response.writeHead(200, { "Content-Length": "10" });
    response.write("123", () => response.destroy());
  });
  await expect(broken).rejects.toThrow("aborted");
});

it("ends a call that is aborted, and does not follow a redirect", async () => {
  const controller = new AbortController();
  await expect(call(() => controller.abort(), controller.signal)).rejects.toThrow("The call was aborted.");
  const redirected = await call((_, response) => response.writeHead(307, { Location: "/other" }).end());
  expect(redirected.status).toBe(307);
});
