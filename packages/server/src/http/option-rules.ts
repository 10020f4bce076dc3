import * as check from "@platform-rpc/options";
import { isOrigin } from "./cors.js";
import { defaultLimits, type Limits } from "./limits.js";
import type { GatedRoutes, HandlerOptions, ListenerOptions } from "./options.js";

/** A server cannot wait longer than a timer for them. */
const finite: readonly string[] = ["keepAliveMs", "drainMs"] satisfies (keyof Limits)[];
const limitOf = (name: string) =>
  finite.includes(name)
    ? check.may("be a number from 0 that is finite", check.isFrom(0, Number.MAX_VALUE))
    : check.may("be a number from 0; Infinity sets no limit", check.isFrom(0));
const limitRules = Object.fromEntries(Object.keys(defaultLimits).map((name) => [name, limitOf(name)]));

const texts = (expected: string) => check.may(expected, (value) => check.isListOf(value, check.isText));
const pem = check.must("be a text or a Buffer in PEM", (value) => check.isText(value) || value instanceof Uint8Array);

export const handlerRules: check.OptionRules<HandlerOptions> = {
  logger: check.part("be a logger with the methods info and error, such as pino()", "info", "error"),
  onRequestEnd: check.ofType("function"),
  logSuccesses: check.may("be a number from 0 to 1", check.isFrom(0, 1)),
  tracing: check.withFunctions("begin", "beginBatch", "current"),
  visibility: check.ofType("number"),
  limits: check.nested(limitRules),
  documents: check.may("be a Map of documents by their paths", (value) => check.hasFunctions(value, "get", "entries")),
  basePath: check.may(
    "be a path such as /api, without a slash at the end",
    (value) => typeof value === "string" && /^(\/[^/?#\s]+)*$/.test(value),
  ),
  hosts: texts("be a list of host names such as api.example.com, without a port"),
  corsOrigins: check.may(
    "be a list of origins such as https://app.example.com, in lower case and without a slash at the end. Wildcards are not supported",
    (value) => check.isListOf(value, isOrigin),
  ),
  resourceMetadataUrl: check.may("be a URL", check.isText),
};

export const listenerRules: check.OptionRules<ListenerOptions> = {
  ...handlerRules,
  unread: check.withFunctions("add", "progressed", "remove"),
  tls: check.nested({ key: pem, cert: pem }),
  trustedProxies: texts("be a list of addresses and ranges such as 10.0.0.0/8"),
};

/** Checks a platform, which programs in JavaScript may not have awaited. @throws TypeError that names the function. */
export function requirePlatform(called: string, platform: GatedRoutes): void {
  const rule = check.part("be what createPlatform resolves with, or have routes and admit", "routes", "admit");
  check.requireOptions(called, { platform }, { platform: rule });
}
