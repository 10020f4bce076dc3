/** Moves the focus to the row below (1) or above (-1), to the same control of it; at first to the open item. Returns whether it moved. */
export function moveFocus(by: 1 | -1): boolean {
  const focused = document.activeElement;
  const from = focused?.closest("[data-item]");
  const control = focused?.matches("[data-item] input") ? "input" : "a";
  const row =
    from == null
      ? (document.querySelector("[data-item][data-open=true]") ?? document.querySelector("[data-item]"))
      : from[by === 1 ? "nextElementSibling" : "previousElementSibling"];
  const next = row?.querySelector<HTMLElement>(control);
  next?.focus();
  return next != null;
}

/** Returns the key of the row that has the focus. */
export function focusedKey(): string | undefined {
  return document.activeElement?.closest("[data-item]")?.getAttribute("data-item") ?? undefined;
}
