import { join } from "node:path";
import type { Message } from "@bufbuild/protobuf";
import { errorFields } from "@platform-rpc/front/errors";
import type { Clock, Logger, Platform } from "@platform-rpc/server";
import { createDemo, type Demo } from "../demo-data/demo.js";
import { createAdminAccess } from "../platform/admin-access.js";
import { unlessReadOnly } from "../platform/read-only-start.js";
import type { Job } from "../process/jobs.js";
import type { Settings } from "../settings/settings.js";

/** The files in DATA_DIR that the app renews while it runs: the token for the private operations, and those of the demo. */
export interface OwnFiles {
  readonly adminTokenFile: string;
  /** Undefined without the demo. */
  readonly demo: Demo | undefined;
  /** Renews the demo's files that a call has used. Undefined without the demo. */
  readonly afterCall: ((request: Message) => Promise<void>) | undefined;
  /** Renew what is about to expire. @param isReady whether the storage accepts writes */
  jobs(isReady: () => boolean): readonly Job[];
  /** Revokes a replaced token. */
  stop(): Promise<void>;
}

/** Writes the files, unless the storage accepts no writes now. The jobs then write them later. */
export async function openOwnFiles(deps: {
  readonly settings: Pick<Settings, "dataDir" | "demo">;
  readonly platform: Pick<Platform, "own" | "secrets">;
  readonly clock: Clock;
  readonly logger: Logger;
}): Promise<OwnFiles> {
  const { settings, platform, clock, logger } = deps;
  const { own: operations, secrets } = platform;
  const adminTokenFile = join(settings.dataDir, "admin.token");
  const admin = createAdminAccess({ operations, secrets, clock, tokenFile: adminTokenFile });
  const demo = settings.demo
    ? createDemo({ operations, secrets, clock, folder: join(settings.dataDir, "demo") })
    : undefined;
  // At the same time, so that their commits share flushes.
  await Promise.all([
    unlessReadOnly("write admin token", admin.renew, logger),
    demo && unlessReadOnly("refresh demo", demo.refresh, logger),
  ]);
  return {
    adminTokenFile,
    demo,
    // Runs before the response is sent, so that the next call of the same caller finds fresh files.
    afterCall:
      demo &&
      (async (request) => {
        if (!demo.concerns(request)) return;
        await demo.refresh().catch((thrown) => logger.error(errorFields(thrown), "demo not refreshed"));
      }),
    jobs: (isReady) => [
      // Reads only a clock, unless it is time: a token must not stay expired when the clock is set forward.
      { name: "renew admin token", everyMs: 1_000, run: admin.renew },
      { name: "revoke admin token", everyMs: 5_000, run: admin.revokeReplaced },
      ...(demo === undefined
        ? []
        : [{ name: "refresh demo", everyMs: 1_000, run: async () => isReady() && demo.refresh() }]),
    ],
    stop: () => unlessReadOnly("revoke admin token", admin.stop, logger),
  };
}
