import { expect, it } from "vitest";
import { parseUrl } from "./parse-url.js";

it.each([
  ["https://api.example", "https://api.example"],
  ["http://127.0.0.1:8080/", "http://127.0.0.1:8080"],
  ["https://api.example/v//", "https://api.example/v"],
])("accepts %s", (text, url) => {
  expect(parseUrl(text)).toBe(url);
});

it.each([
  undefined,
  "",
  "api.example",
  "ftp://api.example",
  "https://",
  "https://user:secret@api.example",
  "https://user@api.example",
  "https://api.example/?a=b",
  "https://api.example/#a",
])("rejects %s", (text) => {
  expect(parseUrl(text)).toBeUndefined();
});
