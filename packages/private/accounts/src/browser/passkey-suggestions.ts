import { browserSupportsWebAuthnAutofill, WebAuthnAbortService } from "@simplewebauthn/browser";
import { useSuggestedPasskey } from "./passkeys.js";
import { beginSignIn, finishWithPasskey, type ProvenIdentity } from "./prove-identity.js";

/** For how long a challenge is used, in milliseconds. The server accepts it for 5 minutes. */
const usedForMs = 4 * 60_000;
/** How often the page looks whether its challenge is too old, in milliseconds. */
const looksEveryMs = 10_000;

/**
 * @param field the element that contains the field. It is hidden while the browser suggests nothing.
 * @param onChosen is called with the sign-in when the person has chosen a passkey
 */
export function createPasskeySuggestions(
  field: HTMLElement,
  onChosen: (signIn: () => Promise<ProvenIdentity>) => void,
) {
  let current = new AbortController();
  let beginning: Promise<unknown> = Promise.resolve();

  /** Lets the browser suggest passkeys, until `stop` is called. A browser that cannot do so shows no field and no error. */
  async function start(): Promise<void> {
    current.abort();
    current = new AbortController();
    const { signal } = current;
    if (!(await browserSupportsWebAuthnAutofill()) || signal.aborted) return;
    renewWhenOld(signal);
    const begun = beginSignIn(false).catch(() => undefined);
    beginning = begun;
    const options = (await begun)?.passkey;
    if (options === undefined || signal.aborted) return;
    field.hidden = false;
    // It fails if the browser has nothing to suggest: nothing that the person did.
    const used = await useSuggestedPasskey(options).catch(() => undefined);
    if (signal.aborted) return;
    current.abort();
    if (used === undefined) field.hidden = true;
    else onChosen(() => finishWithPasskey(used));
  }

  /** Starts again before the challenge expires, or as soon as the person comes back. */
  function renewWhenOld(signal: AbortSignal): void {
    const begunAt = Date.now();
    const renew = () => {
      // Without the focus, nobody looks at the page, or the device asks the person for a passkey that they have chosen.
      if (document.hasFocus() && Date.now() - begunAt >= usedForMs) void start();
    };
    const timer = setInterval(renew, looksEveryMs);
    signal.addEventListener("abort", () => clearInterval(timer));
    addEventListener("focus", renew, { signal });
  }

  return {
    start,
    /** Ends the suggestions. Call it before another ceremony, because a browser has one at a time. */
    async stop() {
      current.abort();
      WebAuthnAbortService.cancelCeremony();
      // What begins last is what the server accepts.
      await beginning;
    },
  };
}
