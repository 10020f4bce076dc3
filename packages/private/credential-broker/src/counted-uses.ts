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

/** Counts uses before they are sent. The journal remembers, across a kill, how far each one has come. */
export function createCountedUses({ uses, journal }: { readonly uses: Uses; readonly journal: Journal }) {
  /** Records what became of a use. The next start of the broker does it again, if the platform does not answer. */
  async function report(useId: string, outcome: Outcome): Promise<void> {
    await uses.report(useId, outcome).then(
      () => journal.end(useId, outcome),
      () => undefined,
    );
  }

  return {
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
