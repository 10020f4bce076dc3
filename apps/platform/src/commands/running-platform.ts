import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Code, ConnectError } from "@connectrpc/connect";
import { type AdminClients, createAdminClients } from "../rpc/admin-clients.js";
import { listenerUrl } from "../settings/listener-url.js";
import type { Settings } from "../settings/settings.js";
import { CommandError } from "./command-output.js";

/**
 * Calls a private operation of the running platform that uses the data directory.
 *
 * @throws CommandError when the platform cannot be reached or rejects the token.
 * @throws ConnectError when the platform returns another error.
 */
export async function callRunningPlatform<Answer>(
  settings: Settings,
  call: (clients: AdminClients) => Promise<Answer>,
): Promise<Answer> {
  const internalUrl = listenerUrl(settings.internalHost, settings.internalPort);
  const tokenFile = join(settings.dataDir, "admin.token");
  const adminToken = await readFile(tokenFile, "utf8").catch(() => {
    throw new CommandError(
      `Cannot read ${tokenFile}. Start the platform, and run this command as the same user with the same DATA_DIR.`,
    );
  });
  try {
    return await call(createAdminClients({ internalUrl, adminToken }));
  } catch (error) {
    const connectError = ConnectError.from(error);
    // Every error of the platform has details. One without them comes from another server, or from the network.
    if (connectError.details.length > 0 && connectError.code !== Code.Unauthenticated) throw connectError;
    throw new CommandError(
      `No response from a platform with this data directory at ${internalUrl}. ` +
        "Set DATA_DIR, INTERNAL_HOST and INTERNAL_PORT to the values of the running platform.",
    );
  }
}

/** Resumes what a step of the clock has paused: shredding, purging and key rotation. @throws CommandError */
export async function trustClock(settings: Settings): Promise<string[]> {
  try {
    await callRunningPlatform(settings, ({ maintenance }) => maintenance.trustClock({}));
  } catch (error) {
    const why = error instanceof ConnectError ? error.rawMessage : undefined;
    throw why === undefined ? error : new CommandError(`The clock is not trusted. ${why}`);
  }
  return [`The clock is trusted: ${new Date().toISOString()}. Shredding, purging and key rotation resume.`];
}
