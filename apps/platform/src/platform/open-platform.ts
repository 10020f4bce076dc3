import { randomUUID } from "node:crypto";
import { callerContract } from "@platform-rpc/accounts/contract/private-contract";
import { errorFields } from "@platform-rpc/front/errors";
import {
  createBoundKeyStore,
  createFileKeyStore,
  createPlatform,
  type Logger,
  type Platform,
  type PlatformOptions,
} from "@platform-rpc/server";
import { type ClockWatch, createClockWatch, createSteadyClock, type MachineClocks } from "@platform-rpc/server/host";
import type { Settings } from "../settings/settings.js";
import type { AppStorage } from "./open-storage.js";
import { unlessReadOnly } from "./read-only-start.js";

interface OpenPlatformOptions extends Pick<PlatformOptions, "onTokenLookup" | "delegationPage"> {
  readonly storage: AppStorage;
  readonly settings: Settings;
  readonly logger: Logger;
  readonly clocks: MachineClocks;
}

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

/** Returns a clock watch that logs once when the time is no longer trusted, and once when it is trusted again. */
export function withClockAlarm(clockWatch: ClockWatch, logger: Logger): ClockWatch {
  let alarmed = false;
  return {
    get trusted() {
      return clockWatch.trusted;
    },
    get trustedTime() {
      return clockWatch.trustedTime;
    },
    async read() {
      const agreement = await clockWatch.read();
      if (agreement.trusted !== alarmed) return agreement;
      alarmed = !agreement.trusted;
      if (agreement.trusted) logger.info({}, "the clock is trusted again: shredding, purging and key rotation resume");
      else {
        logger.error(
          {},
          "the wall clock moved by more than an hour, or the platform was stopped for more than an hour: shredding, purging and key rotation " +
            "are paused for a day. To resume at once, check the clock of this machine and run `platform trust-clock`.",
        );
      }
      return agreement;
    },
    trust: (call) => clockWatch.trust(call),
  };
}

/** The time from the start to the preparation, in milliseconds, so that the preparation does not delay the first calls. */
const delayMs = 1_000;

/**
 * Prepares the platform for invalid requests a second after the start, usually after the first calls. A failure is logged:
 * such requests then fail as INTERNAL until the cause is fixed. Returns a function that cancels the preparation.
 */
export function prepareLater(platform: Pick<Platform, "prepare">, logger: Logger): () => void {
  const timer = setTimeout(() => {
    platform.prepare().catch((thrown: unknown) => logger.error(errorFields(thrown), "request validator not loaded"));
  }, delayMs);
  timer.unref();
  return () => clearTimeout(timer);
}
