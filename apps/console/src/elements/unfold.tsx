import { type ReactNode, useState } from "react";

/** A fold whose content does not exist before it is opened. */
export function Unfold({ summary, children }: { readonly summary: string; readonly children: ReactNode }) {
  const [opened, setOpened] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpened(opened || currentTarget.open)}>
      <summary>{summary}</summary>
      {opened && children}
    </details>
  );
}
