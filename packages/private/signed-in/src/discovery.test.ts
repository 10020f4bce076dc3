import { expect, it } from "vitest";
import { parseUrl } from "./discovery.js";

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
  "https://",
  "https://user:secret@api.example",
  "https://api.example/?a=b",
  "https://api.example/#a",
])("rejects %s", (text) => {
  expect(parseUrl(text)).toBeUndefined();
});
