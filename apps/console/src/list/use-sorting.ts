import { useState } from "react";
import type { Sorting } from "../items/item-rows.js";

const sortingKey = "vault: sorted by";

export function useSorting(): readonly [Sorting, (sorting: string) => void] {
  const [sorting, setSorting] = useState<Sorting>(() => sortingOf(localStorage.getItem(sortingKey)));
  return [
    sorting,
    (chosen) => {
      localStorage.setItem(sortingKey, chosen);
      setSorting(sortingOf(chosen));
    },
  ];
}

function sortingOf(text: string | null): Sorting {
  return text === "changed" ? "changed" : "name";
}
