import {
  type ClipboardEvent,
  type ComponentProps,
  type DragEvent,
  type SyntheticEvent,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { editShown, hasLineBreak, replaceShown, shownLines } from "./line-breaks.js";

interface TextControlProps
  extends Pick<
    ComponentProps<"input">,
    "aria-label" | "aria-describedby" | "autoCapitalize" | "dir" | "inputMode" | "placeholder" | "spellCheck"
  > {
  readonly id: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** How many lines are shown at first. Default: 1, or 6 for a text that has several. */
  readonly rows?: number;
  readonly masked?: boolean;
}

type Control = HTMLInputElement | HTMLTextAreaElement;

/** Edits a text. Its line breaks stay as they are, byte for byte, also where the browser itself would change them. */
export function TextControl({ value, onChange, rows, masked = false, spellCheck = false, ...input }: TextControlProps) {
  const [tall, setTall] = useState(rows !== undefined);
  if (!tall && hasLineBreak(value)) setTall(true);
  const control = useRef<Control>(null);
  const caret = useRef<number>(undefined);
  useLayoutEffect(() => {
    if (caret.current === undefined) return;
    // A text of several lines is shown by another element than the one into which it was pasted.
    control.current?.focus();
    control.current?.setSelectionRange(caret.current, caret.current);
    caret.current = undefined;
  });
  // An input removes line breaks. Behind dots, another character takes their place.
  const shown = shownLines(value, masked ? "\u2028" : "\n");
  const insert = (event: SyntheticEvent<Control>, text: string) => {
    const { currentTarget } = event;
    // The browser itself inserts a text that it does not change.
    if (currentTarget instanceof HTMLInputElement ? !hasLineBreak(text) : !text.includes("\r")) return;
    event.preventDefault();
    const start = currentTarget.selectionStart ?? shown.length;
    caret.current = start + shownLines(text, "\n").length;
    onChange(replaceShown(value, start, currentTarget.selectionEnd ?? start, text));
  };
  const props = {
    ...input,
    spellCheck,
    autoCapitalize: spellCheck ? "sentences" : "none",
    autoComplete: masked ? "new-password" : "off",
    value: shown,
    ref: (element: Control | null) => {
      control.current = element;
    },
    onChange: ({ target }: { readonly target: Control }) => onChange(editShown(value, shown, target.value)),
    onPaste: (event: ClipboardEvent<Control>) => insert(event, event.clipboardData.getData("text/plain")),
    onDrop: (event: DragEvent<Control>) => insert(event, event.dataTransfer.getData("text/plain")),
  };
  if (tall && !masked) return <textarea {...props} rows={rows ?? 6} />;
  return <input {...props} type={masked ? "password" : "text"} />;
}
