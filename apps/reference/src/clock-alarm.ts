import type { ClockWatch, Logger } from "@platform-rpc/server";

/**
 * Reads the clocks, and logs once when the time is no longer trusted, and once when it is trusted again. To be run every
 * few seconds.
 */
export function createClockAlarm(clockWatch: ClockWatch, logger: Logger): () => Promise<void> {
  let alarmed = false;
  return async () => {
    const { trusted } = await clockWatch.read();
    if (trusted === !alarmed) return;
    alarmed = !trusted;
    if (trusted) logger.info({}, "the clock is trusted again: shredding and key rotation go on");
    else {
      logger.error(
        {},
        "the wall clock moved by more than an hour, or the platform was stopped for longer: shredding and key rotation " +
          "are paused for a day. Check the clock of this machine, then run `platform trust-clock` to go on at once.",
      );
    }
  };
}
