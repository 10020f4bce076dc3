import { expect, it } from "vitest";
import type { FieldType } from "./item-content.js";
import { hostIn, secretOf, usesOf } from "./item-use.js";

const types: Readonly<Record<string, FieldType>> = { website: "url", key: "secret", password: "secret", pin: "secret" };

const contentOf = (rows: Readonly<Record<string, string>>) => ({
  fields: Object.entries(rows).map(([name, value]) => ({ name, type: types[name] ?? "text", value })),
});

const key = { key: "k-1", host: "api.example.com" };
const login = { username: "ada", password: "p-1", website: "https://example.com/login" };

it.each<[what: string, kind: string, rows: Record<string, string>, use: unknown]>([
  ["an API key", "api_key", key, { hosts: ["api.example.com"], useAs: { type: "bearer" } }],
  ["a login", "login", login, { hosts: ["example.com"], useAs: { type: "basic" } }],
  ["another kind", "card", { pin: "1", website: "example.com" }, undefined],
  ["another kind that says how", "card", { pin: "1", website: "example.com", use_as: "query pin" }, expect.anything()],
  ["an item without a host", "api_key", { key: "k-1" }, undefined],
  ["an item without a secret", "login", { ...login, password: "" }, undefined],
  ["an item that says none", "api_key", { ...key, use_as: "none" }, undefined],
  ["a value that is unknown", "api_key", { ...key, use_as: "cookie" }, undefined],
  ["a header of the connection", "api_key", { ...key, use_as: "header Transfer-Encoding" }, undefined],
  ["a header with a line break", "api_key", { ...key, use_as: "header A\r\nB:" }, undefined],
  ["an empty value", "api_key", { ...key, use_as: " " }, { hosts: ["api.example.com"], useAs: { type: "bearer" } }],
])("%s", (_, kind, rows, use) => {
  expect(usesOf(kind, contentOf(rows))).toEqual(use);
});

it("has all hosts, and the name of the header", () => {
  const content = contentOf({ ...login, host: "EXAMPLE.com:8443", use_as: "header X-Key" });
  const useAs = { type: "header", name: "X-Key" };
  expect(usesOf("login", content)).toEqual({ hosts: ["example.com", "example.com:8443"], useAs });
});

it.each([
  ["https://Example.com:443/path?q", "example.com"],
  ["http://127.0.0.1:8080", "127.0.0.1:8080"],
  ["[::1]:9", "[::1]:9"],
  ["https://example.com.:8443/", "example.com:8443"],
  ["https://user@example.com", undefined],
  ["ftp://example.com", undefined],
  ["not a host", undefined],
])("the host in %s", (text, host) => {
  expect(hostIn(text)).toBe(host);
});

it("finds the secret by its name, otherwise by its type", () => {
  expect(secretOf("login", contentOf({ pin: "1", password: "p" }))).toBe("p");
  expect(secretOf("api_key", contentOf({ pin: "1", password: "p" }))).toBe("1");
  expect(secretOf("api_key", contentOf({ username: "ada" }))).toBeUndefined();
});
