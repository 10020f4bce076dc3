import { expect, it, onTestFinished, vi } from "vitest";
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
  ["http://accounts.localhost:8082/oauth/authorize", "http://accounts.localhost:8082"],
  ["http://accounts.example/oauth/authorize", undefined],
  ["http://accounts.localhost.example/oauth/authorize", undefined],
])("the authorization endpoint %s has pages at %s", async (authorization_endpoint, pages) => {
  const issuer = "http://127.0.0.1:8082";
  const fetch = vi
    .spyOn(globalThis, "fetch")
    .mockImplementation(async () => Response.json({ issuer, authorization_endpoint }));
  onTestFinished(() => fetch.mockRestore());
  expect(await findPages(issuer).catch(() => undefined)).toBe(pages);
  await expect(findPages("https://other.example")).rejects.toThrow("does not name a page of https://other.example");
});

it("RFC 9110 section 15.5.20: says what to do when the server has another name since the login", async () => {
  const fetch = vi.spyOn(globalThis, "fetch").mockResolvedValue(new Response("", { status: 421 }));
  onTestFinished(() => fetch.mockRestore());
  await expect(findPages("http://localhost:8082")).rejects.toThrow("any more (HTTP 421). Log in again.");
});
