import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Code, ConnectError } from "@connectrpc/connect";
import { type AdminClients, createAdminClients } from "../admin-clients.js";
import { listenerUrl } from "../listener-url.js";
import type { Settings } from "../settings.js";
import { CommandError } from "./command-error.js";

/**
 * Calls a private operation of the platform that serves the data directory.
 *
 * @throws CommandError when it cannot be called, ConnectError with the platform's own answer when it refuses.
 */
export async function callRunningPlatform<Answer>(
  settings: Settings,
  call: (clients: AdminClients) => Promise<Answer>,
): Promise<Answer> {
  const internalUrl = listenerUrl(settings.internalHost, settings.internalPort);
  const tokenFile = join(settings.dataDir, "admin.token");
  const adminToken = await readFile(tokenFile, "utf8").catch(() => {
    throw new CommandError(
      `${tokenFile} cannot be read. Start the platform, and run this as its user and with its DATA_DIR.`,
    );
  });
  try {
    return await call(createAdminClients({ internalUrl, adminToken }));
  } catch (error) {
    const refused = ConnectError.from(error);
    // The platform's own errors have details. What answers without them is something else, or nothing.
    if (refused.details.length > 0 && refused.code !== Code.Unauthenticated) throw refused;
    throw new CommandError(
      `No platform of this data directory answers at ${internalUrl}. ` +
        "Set DATA_DIR, INTERNAL_HOST and INTERNAL_PORT as they are set for the running platform.",
    );
  }
}
