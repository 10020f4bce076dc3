import type { Hooks } from "./hooks.js";

/** Writes log lines. `console` is one. */
export interface Logger {
  /** Writes each attempt. */
  debug(message: string): void;
  /** Writes each retry. */
  info(message: string): void;
  /** Writes, once per operation, that an operation is deprecated. */
  warn(message: string): void;
}

/** The lowest level of lines that are written. */
export type LogLevel = "debug" | "info" | "warn" | "off";

export const logLevels: readonly string[] = ["debug", "info", "warn", "off"] satisfies LogLevel[];

/** Creates hooks that log to `logger`, each deprecated operation only once. Lines contain no body, token or code. */
export function createLogHooks(logger: Logger, minLevel: string): Hooks {
  const warned = new Set<string>();
  const enabled = logLevels.slice(logLevels.indexOf(minLevel));
  const log = (level: keyof Logger, line: string) => {
    if (enabled.includes(level)) logger[level](line);
  };
  return {
    onResponse({ operation, requestId }, { attempt, durationMs, status, headers: { deprecation, sunset } }) {
      log("debug", `${operation}: attempt ${attempt}, status ${status}, ${durationMs} ms. Request ${requestId}.`);
      if ((!deprecation && !sunset) || warned.has(operation)) return;
      warned.add(operation);
      log("warn", `${operation} is deprecated. Sunset: ${sunset ?? "not announced"}. Update @platform-rpc/client.`);
    },
    onRetry({ operation }, { delayMs, error }) {
      log("info", `${operation}: retry in ${delayMs} ms. ${error}`);
    },
  };
}
