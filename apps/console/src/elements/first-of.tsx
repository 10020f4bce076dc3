import type { ReactNode } from "react";

interface FirstOfProps<Entry> {
  readonly all: readonly Entry[];
  /** How many are listed. */
  readonly most: number;
  readonly children: (entry: Entry) => ReactNode;
}

/** Lists the first of many entries, and says how many more there are. */
export function FirstOf<Entry>({ all, most, children }: FirstOfProps<Entry>) {
  return (
    <ul>
      {all.slice(0, most).map((entry, index) => (
        <li key={index} dir="auto">
          {children(entry)}
        </li>
      ))}
      {all.length > most && <li>and {(all.length - most).toLocaleString("en")} more</li>}
    </ul>
  );
}
