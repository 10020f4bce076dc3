import { Hono } from "hono";
import { expect, it } from "vitest";
import { knownHost } from "./same-origin.js";

const [pages, issuer] = ["http://accounts.localhost:8082", "http://127.0.0.1:8082"];

it.each([
  [undefined, `This server is ${pages}. Use`],
  [issuer, `This server is ${pages} for browsers, and ${issuer} for programs. Use`],
])("a request for another host is told where the server is, with the issuer %s", async (other, words) => {
  const app = new Hono();
  app.use(knownHost(pages, other));
  app.onError((error, context) => context.text(error.message));
  expect(await (await app.request("http://localhost:8082/oauth/token")).text()).toContain(words);
});
