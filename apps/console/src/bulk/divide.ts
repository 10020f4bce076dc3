/** How many items one call of PutItems or DeleteItems can have. */
export const mostInCall = 100;

/** Divides items into as few calls as possible, in their order. */
export function divide<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  const calls = Math.ceil(items.length / mostInCall);
  return Array.from({ length: calls }, (_, index) => items.slice(index * mostInCall, (index + 1) * mostInCall));
}
