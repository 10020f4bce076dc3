import type { IncomingMessage } from "node:http";
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
  const set = addressHeader === undefined ? undefined : context.req.header(addressHeader);
  return addressOf(set, () => getConnInfo(context).remote.address);
}

/** The header in which the listener passes the network address of a caller. A caller can send it, too: only its last value counts. */
const callerAddressHeader = "X-Platform-Caller-Address";

/** Adds the network address of the caller to a request, because the handler of a call has only its headers. */
export function passCallerAddress(
  request: Pick<IncomingMessage, "headers" | "rawHeaders"> & {
    readonly socket: Pick<IncomingMessage["socket"], "remoteAddress">;
  },
  { addressHeader }: Pick<AccountsParts, "addressHeader">,
): void {
  const set = addressHeader === undefined ? undefined : request.headers[addressHeader.toLowerCase()]?.toString();
  request.rawHeaders.push(
    callerAddressHeader,
    addressOf(set, () => request.socket.remoteAddress),
  );
}

/** Returns the network address that {@link passCallerAddress} has added. Undefined: unknown. */
export function callerAddress(headers: Headers): string | undefined {
  return headers.get(callerAddressHeader)?.split(",").at(-1)?.trim() || undefined;
}

/** @param set the value of the header that the proxy sets */
function addressOf(set: string | undefined, connected: () => string | undefined): string {
  const last = set?.split(",").at(-1)?.trim();
  const address = last === undefined ? (connected() ?? "") : withoutPort(last);
  const network = networkOf(address);
  return isIPv4(network) ? network : address.slice(0, 45);
}

/** Returns the address of `192.0.2.1:1234` or `[2001:db8::1]:1234`; any other text as it is. */
function withoutPort(text: string): string {
  const [, ipv4, ipv6] = /^(?:([0-9.]+):[0-9]+|\[([0-9A-Fa-f:.]+)\](?::[0-9]+)?)$/.exec(text) ?? [];
  return ipv4 ?? ipv6 ?? text;
}
