import { ConnectError } from "@connectrpc/connect";
import type { Settings } from "../settings.js";
import { CommandError } from "./command-error.js";
import { callRunningPlatform } from "./running-platform.js";

/**
 * Resumes shredding, purging and key rotation after a step of the clock has paused them.
 *
 * @returns the lines to print.
 * @throws CommandError
 */
export async function trustClock(settings: Settings): Promise<string[]> {
  try {
    await callRunningPlatform(settings, ({ maintenance }) => maintenance.trustClock({}));
  } catch (error) {
    const why = error instanceof ConnectError ? error.rawMessage : undefined;
    throw why === undefined ? error : new CommandError(`The clock is not trusted. ${why}`);
  }
  return [`The clock is trusted: ${new Date().toISOString()}. Shredding, purging and key rotation resume.`];
}
