import { isIP } from "node:net";
import { hostIn } from "@platform-rpc/items/item-use";
import { refusal } from "./refusal.js";

/** Where a request goes. */
export interface Target {
  /** As items and approvals name it: lower case, with the port unless it is 443. */
  readonly host: string;
  /** The host without its port, and without the brackets of an IPv6 address. */
  readonly hostname: string;
  /** Undefined: the default one of the scheme. */
  readonly port: number | undefined;
  /** The path and the query, as the agent has written them. */
  readonly path: string;
  /** Whether it is a name or an address of this machine. */
  readonly isLoopback: boolean;
}

const loopback = /^(?:localhost|127(?:\.\d+){3}|::1)$/;

/**
 * Reads the target of a request line: `/{host}/{path}`. It has one spelling for each host, so that a decimal or shortened address, a user, or
 * an encoded slash cannot make two readers see two hosts.
 *
 * @throws Refusal MALFORMED_TARGET
 */
export function readTarget(url: string | undefined): Target {
  const [, written = "", path = "/", query = ""] = /^\/([^/?]+)(\/[^?]*)?(\?.*)?$/.exec(url ?? "") ?? [];
  const host = written.toLowerCase();
  const isPlain = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[1-9]\d{0,4})?$/.test(host) && !/\.(?::|$)/.test(host);
  if (!isPlain || hostIn(host) !== host || !/^[!"$-~]*$/.test(path + query) || hasDots(path)) {
    throw refusal(
      "MALFORMED_TARGET",
      "The path must be /{host}/{path}, such as /api.example.com/v1/models: the host in its usual spelling, with its port unless that is 443, and a path without dot segments.",
    );
  }
  const { hostname, port } = new URL(`https://${host}`);
  const name = hostname.replace(/^\[|\]$/g, "");
  return {
    host,
    hostname: name,
    port: port === "" ? undefined : Number(port),
    path: path + query,
    isLoopback: loopback.test(name),
  };
}

/** Returns whether a host is an IP address, for which nothing is looked up. */
export function isAddress({ hostname }: Pick<Target, "hostname">): boolean {
  return isIP(hostname) !== 0;
}

function hasDots(path: string): boolean {
  return path.split(/[/\\]|%2f|%5c/i).some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment));
}
