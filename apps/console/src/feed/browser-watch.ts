import type { Members } from "../session/console-context.js";
import { type ConsoleSession, noAnswer } from "../session/session.js";
import { inOneTab } from "./one-tab.js";
import { createVaultWatch, type WatchSnapshot } from "./vault-watch.js";

const longestWaitSeconds = 25;

/** How long a call may take, in milliseconds: one that waits for longer than the server does. */
const [waitingMs, askingMs] = [40_000, 5_000];

/** Creates the watch of the signed-in person, for all tabs of the browser. */
export function createBrowserWatch({ principalId }: ConsoleSession, members: Members) {
  const watch = createVaultWatch({
    async ask(state, signal) {
      if (state !== "") {
        return members.watchVaults({ state, waitSeconds: longestWaitSeconds }, { signal, timeoutMs: waitingMs });
      }
      // The transport repeats a call that fails, after times that are longer in a hidden tab. The first attempt says enough.
      const asking = new AbortController();
      const onNoAnswer = (event: Event) => {
        if (event instanceof CustomEvent && event.detail.endsWith("/WatchVaults")) asking.abort();
      };
      addEventListener(noAnswer, onNoAnswer, asking);
      try {
        const ended = AbortSignal.any([signal, asking.signal]);
        return await members.watchVaults({}, { signal: ended, timeoutMs: askingMs });
      } finally {
        asking.abort();
      }
    },
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, signal.aborted ? 0 : ms);
        signal.addEventListener("abort", () => {
          clearTimeout(timer);
          resolve();
        });
      }),
  });
  return {
    ...watch,
    /** Follows the vaults, until the returned function is called. */
    start() {
      const tab = inOneTab<WatchSnapshot>(`platform-vault: watch ${principalId}`, {
        run: watch.run,
        news: watch.snapshot,
        onNews: watch.set,
        onAsked: watch.doubt,
      });
      const stopTelling = watch.subscribe(tab.tell);
      const ended = new AbortController();
      for (const event of ["offline", noAnswer]) addEventListener(event, tab.ask, ended);
      addEventListener("online", watch.retry, ended);
      return () => {
        ended.abort();
        stopTelling();
        tab.stop();
      };
    },
  };
}
