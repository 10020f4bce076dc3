/** How many threads open items: those of the machine, without more than 4. */
export const threads = Math.max(1, Math.min(4, navigator.hardwareConcurrency));
