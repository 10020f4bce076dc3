import type { EndedAccess } from "./access.js";

/** What every section of the page can do. */
export interface SectionProps {
  readonly busy: boolean;
  readonly onEnd: (access: EndedAccess) => void;
}

interface EndButtonProps extends SectionProps {
  readonly access: EndedAccess;
  /** What the button does, such as `End`. */
  readonly children: string;
  /** The full name of the button, because a page has several. */
  readonly label: string;
}

/** A button that ends an access. */
export function EndButton({ access, busy, onEnd, label, children }: EndButtonProps) {
  return (
    <button type="button" id={endButtonId(access.id)} aria-label={label} disabled={busy} onClick={() => onEnd(access)}>
      {children}
    </button>
  );
}

/** Returns the element id of the button that ends an access. */
export function endButtonId(id: string): string {
  return `end-${id}`;
}
