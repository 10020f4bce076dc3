import { isIPv4 } from "node:net";
import { getConnInfo } from "@hono/node-server/conninfo";
import { networkOf } from "@platform-rpc/front";
import type { Context } from "hono";
import type { AccountsParts } from "../accounts-parts.js";

/**
 * Returns the network address of the browser. Behind a proxy, this is the last value of the header that the proxy sets: callers can
 * send earlier values themselves. An IPv4 address has one spelling. Empty if the address is unknown.
 */
export function clientAddress(context: Context, { addressHeader }: Pick<AccountsParts, "addressHeader">): string {
  const set = addressHeader === undefined ? undefined : context.req.header(addressHeader)?.split(",").at(-1)?.trim();
  const address = set ?? getConnInfo(context).remote.address ?? "";
  const network = networkOf(address);
  return isIPv4(network) ? network : address.slice(0, 45);
}

export { networkOf };
