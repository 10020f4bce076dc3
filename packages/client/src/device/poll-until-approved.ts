import { newId } from "../call/new-id.js";
import { withDeadline } from "../call/step.js";
import { createError, isError } from "../error/create-error.js";
import type { Clock } from "../options/clock.js";
import { callSafely } from "../options/hooks.js";
import type { StartedDeviceAuthorization, WaitOptions } from "./device-session.js";

/** Added to each interval, because clocks differ. */
const marginMs = 250;
const lastPollBeforeExpiryMs = 1_000;
/** Less than the 60 seconds during which a retry gets the same tokens. */
const maxBackOffMs = 30_000;

export interface PollAnswer {
  readonly status: string;
  /** Seconds until the code expires; 0 when it has expired. */
  readonly expiresInSeconds: number;
  /** Seconds until the next poll; 0 if the server does not say. */
  readonly intervalSeconds: number;
  readonly requestId: string;
}

/**
 * Polls until `approvedOf` returns what an approved answer contains (RFC 8628 section 3.5). Waits one interval first, polls less
 * often when the server asks for it, backs off after errors that are retryable, and polls a last time just before the code expires.
 */
export function pollUntilApproved<Answer extends PollAnswer, Approved>(
  clock: Clock,
  { deviceCode, intervalSeconds, expiresInSeconds }: StartedDeviceAuthorization,
  { onStatus, pollNow, signal: parent }: WaitOptions,
  poll: (signal: AbortSignal) => Promise<Answer>,
  approvedOf: (answer: Answer) => Approved | undefined,
): Promise<Approved> {
  let intervalMs = (intervalSeconds || 5) * 1000;
  let expiresAt = clock.now() + (expiresInSeconds || 600) * 1000;
  const call = { info: { requestId: newId() } };
  const expired = () =>
    createError(
      call,
      "EXPIRED_TOKEN",
      "failed_precondition",
      "The device code expired. Start a new device authorization.",
    );

  const approved = withDeadline({ call, clock, ms: Infinity, signal: parent }, async (signal) => {
    // An exchange without a code fails, so it does not wait first.
    let waitMs = pollNow || !deviceCode ? 0 : intervalMs;
    for (;;) {
      const leftMs = expiresAt - lastPollBeforeExpiryMs - clock.now();
      // The last poll comes just before the code expires. The poll before it is skipped if they would be less than an interval
      // apart.
      const isLast = leftMs < 2 * waitMs + marginMs;
      const sleepMs = isLast ? leftMs : waitMs && waitMs + marginMs;
      if (sleepMs > 0) await clock.sleep(sleepMs, signal);
      let status = "unavailable";
      try {
        const answer = await poll(signal);
        call.info = answer;
        status = answer.status;
        const approved = approvedOf(answer);
        if (approved) return approved;
        if (status === "access_denied") {
          const text = "The user denied access. Start a new device authorization only if they want to.";
          throw createError(call, "ACCESS_DENIED", "permission_denied", text);
        }
        if (!answer.expiresInSeconds) throw expired();
        if (status === "slow_down") intervalMs += 5_000;
        intervalMs = Math.max(intervalMs, answer.intervalSeconds * 1000);
        waitMs = intervalMs;
        // The server rounds up.
        if (!expiresInSeconds) expiresAt = clock.now() + (answer.expiresInSeconds - 1) * 1000;
      } catch (error) {
        if (!isError(error) || !error.retryable) throw error;
        call.info = error;
        waitMs = Math.max(error.retryAfterMs ?? 0, intervalMs, Math.min(waitMs * 2, maxBackOffMs));
      }
      const shown = { status, intervalSeconds: waitMs / 1000, expiresAt: new Date(expiresAt) };
      callSafely({ onStatus }, "onStatus", [shown]);
      if (isLast) throw expired();
    }
  });
  return approved.catch((error: unknown) => {
    // As in `runStep`.
    if (isError(error)) Error.captureStackTrace?.(error);
    throw error;
  });
}
