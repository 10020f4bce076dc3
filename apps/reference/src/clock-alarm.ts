import type { ClockWatch, Logger } from "@platform-rpc/server";

/** Returns a clock watch that logs once when the time is no longer trusted, and once when it is trusted again. */
export function withClockAlarm(clockWatch: ClockWatch, logger: Logger): ClockWatch {
  let alarmed = false;
  return {
    get trusted() {
      return clockWatch.trusted;
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
