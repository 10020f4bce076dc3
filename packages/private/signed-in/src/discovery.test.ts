import { createServer } from "node:http";
import { expect, it, onTestFinished } from "vitest";
import { findPages, parseUrl } from "./discovery.js";

it.each([
  ["https://api.example", "https://api.example"],
  ["http://127.0.0.1:8080/", "http://127.0.0.1:8080"],
  ["https://api.example/v//", "https://api.example/v"],
  ["HTTPS://API.Example:443", "https://api.example"],
  ["http://localhost:8080", "http://localhost:8080"],
  ["http://[::1]:8080", "http://[::1]:8080"],
  ["https://api.example/\u202ev", "https://api.example/%E2%80%AEv"],
])("accepts %s", (text, url) => {
  expect(parseUrl(text)).toBe(url);
});

it.each([
  undefined,
  "",
  "api.example",
  "http://api.example",
  "http://127.0.0.1.example",
  // A program may look this name up, and send a token to what it gets.
  "http://accounts.localhost:8082",
  "https://",
  "https://user:secret@api.example",
  "https://api.example/?a=b",
  "https://api.example/#a",
])("rejects %s", (text) => {
  expect(parseUrl(text)).toBeUndefined();
});

it.each([
  ["https://accounts.example/oauth/authorize", "https://accounts.example"],
  ["http://127.0.0.1:8082/oauth/authorize", "http://127.0.0.1:8082"],
  ["http://accounts.localhost:8082/oauth/authorize", "http://accounts.localhost:8082"],
  ["http://accounts.example/oauth/authorize", undefined],
  ["http://accounts.localhost.example/oauth/authorize", undefined],
  ["http://evillocalhost/oauth/authorize", undefined],
])("the authorization endpoint %s has pages at %s", async (endpoint, pages) => {
  const server = createServer((_, response) =>
    response.end(JSON.stringify({ issuer, authorization_endpoint: endpoint })),
  );
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const issuer = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  expect(await findPages(issuer).catch(() => undefined)).toBe(pages);
  expect(await findPages(`${issuer}/other`).catch(() => undefined)).toBeUndefined();
});
