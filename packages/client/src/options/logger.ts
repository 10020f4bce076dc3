import type { Hooks } from "../call/hooks.js";

/** Writes lines, such as `console`. */
export interface Logger {
  /** Writes each attempt. */
  debug(message: string): void;
  /** Writes each retry. */
  info(message: string): void;
  /** Writes that an operation is deprecated, once. */
  warn(message: string): void;
}

/** From which level on lines are written. */
export type LogLevel = "debug" | "info" | "warn" | "off";

export const logLevels: readonly LogLevel[] = ["debug", "info", "warn", "off"];

/**
 * Hooks that log: attempts at `debug`, retries at `info`, and once per operation at `warn` that it is
 * deprecated. Lines contain no body, token or code.
 */
export function createLogHooks(logger: Logger, level: LogLevel): Hooks {
  const warned = new Set<string>();
  const logs = (of: LogLevel) => logLevels.indexOf(of) >= logLevels.indexOf(level);
  return {
    onResponse({ operation, requestId }, { attempt, durationMs, status, headers }) {
      if (logs("debug")) {
        logger.debug(`${operation}: attempt ${attempt}, status ${status}, ${durationMs} ms. Request ${requestId}.`);
      }
      const { deprecation, sunset } = headers;
      if ((!deprecation && !sunset) || warned.has(operation)) return;
      warned.add(operation);
      if (logs("warn")) logger.warn(`${operation} is deprecated. Sunset: ${sunset}. Update @platform-rpc/client.`);
    },
    onRetry({ operation }, { delayMs, error }) {
      if (logs("info")) logger.info(`${operation}: retry in ${delayMs} ms. ${error}`);
    },
  };
}
