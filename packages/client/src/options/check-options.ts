import type { TokenProvider } from "../token/access-token.js";
import { bearerTokenRule, readBearer } from "../token/bearer-token.js";
import type { CommonOptions, HttpOptions } from "./client-options.js";
import { environment } from "./environment.js";
import { type LogLevel, logLevels } from "./logger.js";

const maxNumber = 2 ** 31 - 1;

const commonNames = ["token", "timeoutMs", "retry", "hooks", "logger", "logLevel", "userAgent", "clock"];

/** @throws TypeError that names the first unknown option, or the first time or count that is not one. */
export function checkOptions(options: CommonOptions, moreNames: readonly string[]): void {
  const { timeoutMs, retry } = options;
  checkNames(options, [...moreNames, ...commonNames]);
  checkNumbers("", { timeoutMs });
  if (!retry) return;
  checkNames(retry, ["maxAttempts", "attemptTimeoutMs"]);
  checkNumbers("retry.", retry);
}

function checkNames(options: object, names: readonly string[]): void {
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown) throw new TypeError(`Unknown option ${unknown}. Use ${names.join(", ")}.`);
}

function checkNumbers(prefix: string, options: object): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || (value >= 1 && value <= maxNumber)) continue;
    throw new TypeError(`${prefix}${name} must be a number from 1 to ${maxNumber}, not ${value}.`);
  }
}

/** The provider of tokens. A fixed token is checked at once. @throws TypeError, without repeating the token. */
export function readTokenOption({ token = environment("PLATFORM_TOKEN") }: CommonOptions): TokenProvider {
  if (typeof token === "function") return token;
  const missing = "is missing. Pass it, or set PLATFORM_TOKEN";
  const text = readBearer(token);
  if (text === undefined) throw new TypeError(`token ${token === undefined ? missing : bearerTokenRule}.`);
  return () => text;
}

/** The base URL without slashes at its end. @throws TypeError, without repeating the URL. */
export function readBaseUrl({ baseUrl = environment("PLATFORM_URL") }: HttpOptions): string {
  if (baseUrl === undefined) throw new TypeError("baseUrl is missing. Pass it, or set PLATFORM_URL.");
  const [, base] = /^(https?:\/\/[^/?#@\s][^?#@\s]*?)\/*$/.exec(baseUrl) ?? [];
  if (base) return base;
  throw new TypeError("baseUrl must be an http(s) URL without credentials, query or fragment.");
}

/** The host of a base URL, with its port. */
export const hostOf = (baseUrl: string): string => baseUrl.split("/")[2] ?? "";

/** The log level. @throws TypeError when it is not one. */
export function readLogLevel({
  logLevel = environment("PLATFORM_LOG") ?? "warn",
}: {
  readonly logLevel?: string | undefined;
}): LogLevel {
  const level = logLevels.find((one) => one === logLevel);
  if (level) return level;
  throw new TypeError(`logLevel (or PLATFORM_LOG) must be one of ${logLevels.join(", ")}, not ${logLevel}.`);
}
