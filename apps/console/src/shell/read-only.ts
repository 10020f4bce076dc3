import { useEffect, useSyncExternalStore } from "react";
import { isKeptPage } from "../session/is-kept-page.js";
import { useLibrary } from "../vaults/library.js";

/** Why nothing can be changed. */
const reason = "Offline: you can read your vaults. Changes wait until the server answers.";

/** The controls that begin a change. Everything else works without a network, or says itself that it does not. */
const changes = "[data-change]";

/** Whether the server does not answer: then the vaults can only be read. */
function useReadOnly(): boolean {
  const { watch } = useLibrary();
  const { state } = useSyncExternalStore(watch.subscribe, watch.snapshot);
  return state === "offline" || (state === "loading" && isKeptPage());
}

/** Switches every control off that begins a change, and says why, while the server does not answer. */
export function useChangesOff(): void {
  const off = useReadOnly();
  useEffect(() => {
    if (!off) return;
    const titles = new Map<HTMLElement, string>();
    const mark = () => {
      for (const control of document.querySelectorAll<HTMLElement>(changes)) {
        if (titles.has(control)) continue;
        titles.set(control, control.title);
        control.ariaDisabled = "true";
        control.setAttribute("aria-description", reason);
        control.title = reason;
      }
    };
    const ended = new AbortController();
    const stop = (event: Event) => {
      const isChange = event.target instanceof Element && event.target.closest(changes) !== null;
      const opens = !(event instanceof KeyboardEvent) || event.key === "Enter" || event.key === " ";
      if (!isChange || !opens) return;
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    for (const event of ["pointerdown", "click", "keydown"]) {
      addEventListener(event, stop, { capture: true, signal: ended.signal });
    }
    const shown = new MutationObserver(mark);
    shown.observe(document.body, { childList: true, subtree: true });
    mark();
    return () => {
      ended.abort();
      shown.disconnect();
      for (const [control, title] of titles) {
        control.ariaDisabled = null;
        control.removeAttribute("aria-description");
        control.title = title;
      }
    };
  }, [off]);
}
