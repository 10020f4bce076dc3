import { expect, it } from "vitest";
import { readRedirection } from "./authorization-request.js";

it.each([
  ["http://localhost:8787/callback", "http://localhost:8082", false],
  ["http://127.0.0.1:8787/callback", "http://localhost:8082", true],
  ["http://[::1]:8787/callback", "http://localhost:8082", true],
  ["http://localhost:8787/callback", "http://accounts.localhost:8082", true],
  ["https://accounts.localhost:8787/callback", "http://accounts.localhost:8082", false],
  ["https://accounts.example:8443/callback", "https://accounts.example", false],
  ["https://app.example/callback", "https://accounts.example", true],
])("an answer may go to %s from the pages at %s: %s", (redirectUri, pages, allowed) => {
  const client = { redirectUris: [redirectUri], leftOut: [] };
  const read = () => readRedirection(new Map([["redirect_uri", redirectUri]]), client, { origin: () => pages });
  if (allowed) expect(read()).toEqual({ redirectUri, registered: redirectUri });
  else expect(read).toThrow("has the host name of this server's pages");
});
