import { isIPv6 } from "node:net";
import { getConnInfo } from "@hono/node-server/conninfo";
import type { Context } from "hono";
import type { AccountsParts } from "../accounts-parts.js";

/**
 * Returns the network address of the browser. Behind a proxy, this is the last value of the header that the proxy sets: callers can
 * send earlier values themselves. Empty if it is unknown.
 */
export function clientAddress(context: Context, { addressHeader }: Pick<AccountsParts, "addressHeader">): string {
  const set = addressHeader === undefined ? undefined : context.req.header(addressHeader)?.split(",").at(-1)?.trim();
  const address = set ?? getConnInfo(context).remote.address ?? "";
  return address.replace(/^::ffff:(?=[0-9.]+$)/, "").slice(0, 45);
}

/** Returns the part of an address by which callers are limited: the first 64 bits of IPv6, because one caller has all of the rest. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = "", tail] = address.split("::");
  const groups = (text: string) => text.split(":").filter((group) => group !== "");
  const [before, after] = [groups(head), groups(tail ?? "")];
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
  return [...before, ...Array.from({ length: zeros }, () => "0"), ...after].slice(0, 4).join(":");
}
