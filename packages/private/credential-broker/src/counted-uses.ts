import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { platformErrorOf } from "@platform-rpc/signed-in";
import type { Journal } from "./journal.js";
import { refusal } from "./refusal.js";
import type { OpenUpstream } from "./upstream.js";
import type { Outcome, UseRequest, Uses } from "./uses.js";

interface Counting {
  /** The hash of the Idempotency-Key. Empty: there is none. */
  readonly key: string;
  /** Aborted when the agent does not wait any more. */
  readonly signal: AbortSignal;
}

interface Sending extends Pick<Counting, "signal"> {
  /** @throws Refusal if the vaults were locked meanwhile */
  readonly checkOpen: () => Promise<void>;
}

/** How many reports that have failed are remembered. */
const mostFailed = 1_000;

/** Counts uses before they are sent. The journal remembers, across a kill, how far each one has come. */
export function createCountedUses({ uses, journal }: { readonly uses: Uses; readonly journal: Journal }) {
  /** Reports that have failed, the last attempt at the end. */
  const failed = new Map<string, Outcome>();

  /** Records what became of a use. Resolves with whether the platform has answered. */
  async function report(useId: string, outcome: Outcome): Promise<boolean> {
    try {
      await uses.report(useId, outcome);
    } catch {
      // The next start of the broker reports those that are beyond the bound: the journal has them.
      if (failed.size < mostFailed) failed.set(useId, outcome);
      return false;
    }
    journal.end(useId, outcome);
    return true;
  }

  return {
    /** Tries the reports that have failed again, until one fails: the platform may be unreachable. */
    async reportAgain(): Promise<void> {
      for (const [useId, outcome] of failed) {
        failed.delete(useId);
        if (!(await report(useId, outcome))) return;
      }
    },

    /** Counts a use. Resolves with its id. @throws Refusal if the request may have been sent with this key before */
    async count(use: Omit<UseRequest, "useId">, { key, signal }: Counting): Promise<string> {
      const useId = randomUUID();
      // Nothing is awaited between these two: of two requests with a key, one is the first.
      const known = key === "" ? undefined : journal.find(key);
      if (known !== undefined && known !== "not_sent") throw refusal("ALREADY_USED", repeatedInWords[known]);
      try {
        await journal.begin(useId, key);
      } catch (thrown) {
        journal.forget(useId);
        throw thrown;
      }
      try {
        await uses.use({ ...use, useId }, signal);
      } catch (thrown) {
        // The platform has decided: nothing was counted. Otherwise that is not known.
        if (isDecision(thrown)) journal.forget(useId);
        else await report(useId, "not_sent");
        throw thrown;
      }
      return useId;
    },

    /** Sends the request of a use that was counted. Resolves with the head of the answer. */
    async send(useId: string, upstream: OpenUpstream, { signal, checkOpen }: Sending): Promise<IncomingMessage> {
      try {
        await checkOpen();
        upstream.check();
        await journal.sending(useId);
        // The upstream, or the agent, may be gone by now. Then nothing is sent.
        upstream.check();
        signal.throwIfAborted();
      } catch (thrown) {
        await report(useId, "not_sent");
        throw thrown;
      }
      try {
        const head = await upstream.send();
        journal.end(useId, "answered");
        return head;
      } catch (thrown) {
        await report(useId, "unknown");
        throw thrown;
      }
    },
  };
}

const repeatedInWords: Readonly<Record<NonNullable<ReturnType<Journal["find"]>>, string>> = {
  counting: "A request with this Idempotency-Key is not counted yet. It was not sent. Try again in a minute.",
  sending: "A request with this Idempotency-Key was counted, and may have been sent. It has no answer yet.",
  answered: "A request with this Idempotency-Key was counted, sent and answered.",
  unknown: "A request with this Idempotency-Key was counted, and may have been sent. Its answer is not known.",
  not_sent: "A request with this Idempotency-Key was counted, and not sent.",
};

/** Returns whether the platform has rejected a call. An error that may go away leaves open what was done. */
function isDecision(thrown: unknown): boolean {
  const error = platformErrorOf(thrown);
  return error?.status !== undefined && error.status < 500 && error.reason !== undefined;
}
