import { randomUUID } from "node:crypto";
import {
  createBoundKeyStore,
  createClockWatch,
  createFileKeyStore,
  createPlatform,
  createSteadyClock,
  type Logger,
  type MachineClocks,
  type PlatformOptions,
} from "@platform-rpc/server";
import { withClockAlarm } from "./clock-alarm.js";
import type { AppStorage } from "./open-storage.js";
import { unlessReadOnly } from "./read-only-start.js";
import { callerContract } from "./rpc/reasons.js";
import type { Settings } from "./settings.js";

export interface OpenPlatformOptions extends Pick<PlatformOptions, "onTokenLookup"> {
  readonly storage: AppStorage;
  readonly settings: Settings;
  readonly logger: Logger;
  readonly clocks: MachineClocks;
}

/** Creates the platform of the main thread, which creates and saves keys, and the clock that all threads follow. */
export async function openPlatform({ settings, storage, logger, clocks, ...hooks }: OpenPlatformOptions) {
  const clock = createSteadyClock(clocks);
  const lease = storage.lease?.("jobs");
  const clockWatch = withClockAlarm(createClockWatch({ storage, runId: randomUUID(), clocks, lease }), logger);
  await unlessReadOnly(
    "read clock",
    async () => {
      const { lastRunAt } = await clockWatch.read();
      // If the clock was set back since the last run, the time windows of that run must not become longer.
      if (lastRunAt !== undefined) clock.resume(lastRunAt);
    },
    logger,
  );
  const { issuer, audience, brokerAudience, keysFile, replaceKeys } = settings;
  const platform = await createPlatform({
    storage,
    keys: createBoundKeyStore({ store: createFileKeyStore(keysFile), storage, place: keysFile, replace: replaceKeys }),
    issuer,
    audience,
    brokerAudience,
    contract: callerContract,
    clock,
    clockWatch,
    lease,
    onAuditSealed: (head) => logger.info(head, "audit trail sealed"),
    ...hooks,
    ...(settings.rateLimits
      ? { rateLimiter: storage.rateLimiter, guesses: storage.guesses }
      : { rateLimiter: false, guesses: false }),
  });
  return { platform, clock, clockWatch, lease };
}
