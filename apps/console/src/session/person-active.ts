/** For how long the person counts as active after using the page, in milliseconds: as long as a token is valid. */
const activeMs = 5 * 60_000;

const uses = ["pointerdown", "pointermove", "keydown", "wheel"];

/** Watches a page, and returns whether the person has used it in the last 5 minutes. Opening it is a use. */
export function watchPerson(page: EventTarget, now: () => number = Date.now): () => boolean {
  let lastUsedAt = now();
  const used = () => {
    lastUsedAt = now();
  };
  for (const use of uses) page.addEventListener(use, used, { capture: true, passive: true });
  return () => now() - lastUsedAt < activeMs;
}
