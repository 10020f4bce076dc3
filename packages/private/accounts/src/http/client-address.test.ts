import { Hono } from "hono";
import { expect, it } from "vitest";
import { callerAddress, clientAddress, passCallerAddress } from "./client-address.js";

const site = new Hono().get("/", (context) =>
  context.text(clientAddress(context, { addressHeader: "X-Forwarded-For" })),
);

it.each([
  ["192.0.2.7", "192.0.2.7"],
  ["::ffff:192.0.2.7", "192.0.2.7"],
  ["0:0:0:0:0:ffff:192.0.2.7", "192.0.2.7"],
  ["203.0.113.9, 192.0.2.7", "192.0.2.7"],
  ["2001:db8::1", "2001:db8::1"],
  ["192.0.2.7:50123", "192.0.2.7"],
  ["[2001:db8::1]:50123", "2001:db8::1"],
  ["x".repeat(100), "x".repeat(45)],
])("DECISIONS section 9: a caller that the proxy reports as %j has the address %j", async (value, address) => {
  const response = await site.request("/", { headers: { "X-Forwarded-For": value } });
  expect(await response.text()).toBe(address);
});

/** Passes the address of a caller to the handler of a call, as the listener does. */
function passed(remoteAddress: string, sent: Readonly<Record<string, string>>, addressHeader?: string) {
  const rawHeaders = Object.entries(sent).flat();
  const headers = Object.fromEntries(Object.entries(sent).map(([name, value]) => [name.toLowerCase(), value]));
  passCallerAddress({ headers, rawHeaders, socket: { remoteAddress } }, { addressHeader });
  const pairs = rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ""]] : []));
  const received = new Headers();
  for (const [name = "", value = ""] of pairs) received.append(name, value);
  return callerAddress(received);
}

it("a call of a member has the address of its connection, or the one that the proxy reports, whatever the caller sends", () => {
  const forged = { "X-Platform-Caller-Address": "203.0.113.9", "X-Forwarded-For": "203.0.113.9, 192.0.2.7:1234" };
  expect(passed("198.51.100.4", forged)).toBe("198.51.100.4");
  expect(passed("::ffff:198.51.100.4", {})).toBe("198.51.100.4");
  expect(passed("127.0.0.1", forged, "X-Forwarded-For")).toBe("192.0.2.7");
  expect(callerAddress(new Headers())).toBeUndefined();
});
