import { Hono } from "hono";
import { expect, it } from "vitest";
import { clientAddress } from "./client-address.js";

const site = new Hono().get("/", (context) =>
  context.text(clientAddress(context, { addressHeader: "X-Forwarded-For" })),
);

it.each([
  ["192.0.2.7", "192.0.2.7"],
  ["::ffff:192.0.2.7", "192.0.2.7"],
  ["::FFFF:c000:207", "192.0.2.7"],
  ["0:0:0:0:0:ffff:192.0.2.7", "192.0.2.7"],
  ["203.0.113.9, 192.0.2.7", "192.0.2.7"],
  ["2001:db8::1", "2001:db8::1"],
  ["192.0.2.7:50123", "192.0.2.7"],
  ["[2001:db8::1]:50123", "2001:db8::1"],
  ["[2001:db8::1]", "2001:db8::1"],
  ["x".repeat(100), "x".repeat(45)],
  ["", ""],
])("DECISIONS section 9: a caller that the proxy reports as %j has the address %j", async (value, address) => {
  const response = await site.request("/", { headers: { "X-Forwarded-For": value } });
  expect(await response.text()).toBe(address);
});
