import { expect, it } from "vitest";
import { readRedirection } from "./authorization-request.js";

it.each([
  ["http://localhost:8787/callback", "http://localhost:8082", false],
  ["http://127.0.0.1:8787/callback", "http://localhost:8082", true],
  ["http://localhost:8787/callback", "http://accounts.localhost:8082", true],
  ["https://accounts.example:8443/callback", "https://accounts.example", false],
])("an answer may go to %s from the pages at %s: %s", (uri, pages, allowed) => {
  const client = { redirectUris: [uri], leftOut: [] };
  const read = () => readRedirection(new Map([["redirect_uri", uri]]), client, { origin: pages }).redirectUri;
  if (allowed) expect(read()).toBe(uri);
  else expect(read).toThrow("has the host name of this server's pages");
});
