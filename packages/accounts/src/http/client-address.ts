import { isIPv4 } from "node:net";
import { getConnInfo } from "@hono/node-server/conninfo";
import { networkOf } from "@platform-rpc/front";
import type { Context } from "hono";
import type { AccountsParts } from "./environment.js";

/**
 * Returns the network address of the browser. Behind a proxy, this is the last value of the header that the proxy sets: callers can
 * send earlier values themselves. Some proxies add the port, which a caller chooses: it is removed. An IPv4 address has one spelling.
 * Empty if the address is unknown.
 */
export function clientAddress(context: Context, { addressHeader }: Pick<AccountsParts, "addressHeader">): string {
  const set = addressHeader === undefined ? undefined : context.req.header(addressHeader)?.split(",").at(-1)?.trim();
  const address = set === undefined ? (getConnInfo(context).remote.address ?? "") : withoutPort(set);
  const network = networkOf(address);
  return isIPv4(network) ? network : address.slice(0, 45);
}

/** Returns the address of `192.0.2.1:1234` or `[2001:db8::1]:1234`; any other text as it is. */
function withoutPort(text: string): string {
  const [, ipv4, ipv6] = /^(?:([0-9.]+):[0-9]+|\[([0-9A-Fa-f:.]+)\](?::[0-9]+)?)$/.exec(text) ?? [];
  return ipv4 ?? ipv6 ?? text;
}
