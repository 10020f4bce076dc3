import { useEffect } from "react";

const reason = "Offline: you can read your vaults. Changes wait until the server answers.";

/** The controls that begin a change, or complete one in a dialog. Everything else works without a network, or says why not. */
const changes = "[data-change], [role=dialog] .primary";

/** While it is there, every control that begins a change is off, and says why. */
export function ChangesOff(): undefined {
  useEffect(() => {
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
    document.body.toggleAttribute("data-changes-off", true);
    return () => {
      document.body.removeAttribute("data-changes-off");
      ended.abort();
      shown.disconnect();
      for (const [control, title] of titles) {
        control.ariaDisabled = null;
        control.removeAttribute("aria-description");
        control.title = title;
      }
    };
  }, []);
}
