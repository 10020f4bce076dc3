import { afterAll, expect, it } from "vitest";
import { startDoor } from "../wire/start-door.js";
import type { Document } from "./documents.js";

const bytes = Uint8Array.of(0x00, 0xff, 0x80, 0x0a, 0xc3, 0x28);
const documents = new Map<string, () => Document>([
  ["/bytes", () => ({ status: 200, contentType: "application/octet-stream", body: bytes, cacheControl: "no-cache" })],
  [
    "/page",
    () => ({
      status: 200,
      contentType: "text/html; charset=utf-8",
      body: "<p>é</p>",
      headers: { "Content-Security-Policy": "default-src 'none'" },
    }),
  ],
]);
const test = await startDoor({ routes: () => {}, documents });
afterAll(test.close);

it("bytes are sent as they are, with their length", async () => {
  const response = await fetch(`${test.url}/bytes`);
  expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes);
  expect(response.headers.get("content-length")).toBe("6");
  expect(response.headers.get("content-type")).toBe("application/octet-stream");
  expect(response.headers.get("cache-control")).toBe("no-cache");
});

it("text is sent as UTF-8, with the headers of the document, and is not kept unless it says so", async () => {
  const response = await fetch(`${test.url}/page`);
  expect(await response.text()).toBe("<p>é</p>");
  expect(response.headers.get("content-security-policy")).toBe("default-src 'none'");
  expect(response.headers.get("cache-control")).toBe("no-store");
});

it("RFC 9110 section 9.3.2: HEAD has the headers of GET, and no content", async () => {
  const response = await fetch(`${test.url}/bytes`, { method: "HEAD" });
  expect(response.headers.get("content-length")).toBe("6");
  expect(await response.text()).toBe("");
});

it("is read by GET and HEAD alone", async () => {
  const response = await fetch(`${test.url}/page`, { method: "POST" });
  expect(response.status).toBe(405);
  expect(await response.json()).toMatchObject({ message: "This is read by GET." });
  expect(response.headers.get("allow")).toBe("GET, HEAD");
});
