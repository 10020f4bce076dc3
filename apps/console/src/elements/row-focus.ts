/**
 * Moves the focus to the row below (1) or above (-1) the one that has it, or else the open one. From a text field, it moves to the first
 * row. Returns whether it moved.
 */
export function moveFocus(by: 1 | -1): boolean {
  const focused = document.activeElement;
  const isInput = focused?.matches("input") === true;
  const from =
    focused?.closest("[data-item]") ?? (isInput ? null : document.querySelector("[data-item][data-open=true]"));
  // The same control of the row.
  const control = isInput && from !== null ? "input" : "a";
  const row =
    from === null
      ? document.querySelector("[data-item]")
      : from[by === 1 ? "nextElementSibling" : "previousElementSibling"];
  const next = row?.querySelector<HTMLElement>(control);
  next?.focus();
  return next != null;
}

export function focusRow(key: string): void {
  document.querySelector<HTMLElement>(`[data-item="${CSS.escape(key)}"] a`)?.focus();
}

export function focusedKey(): string | undefined {
  return document.activeElement?.closest("[data-item]")?.getAttribute("data-item") ?? undefined;
}
