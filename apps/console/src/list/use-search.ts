import { useState } from "react";

export interface Narrowing {
  readonly search: string;
  readonly kind?: string | undefined;
  readonly tag?: string | undefined;
}

/** By list: in the memory of the page, because it says what they have. */
const narrowings = new Map<string, Narrowing>();

export function useNarrowing(list: string): readonly [Narrowing, (changes: Partial<Narrowing>) => void] {
  const [narrowing, setNarrowing] = useState(narrowings.get(list) ?? { search: "" });
  return [
    narrowing,
    (changes) => {
      const next = { ...narrowing, ...changes };
      narrowings.set(list, next);
      setNarrowing(next);
    },
  ];
}
