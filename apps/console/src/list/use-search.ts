import { useState } from "react";

/** What the person searches for in each list: in the memory of the page, because it says what they have. */
const searches = new Map<string, string>();

/** Keeps the search of a list while the person looks at other pages. */
export function useSearch(list: string): readonly [string, (search: string) => void] {
  const [search, setSearch] = useState(searches.get(list) ?? "");
  return [
    search,
    (typed) => {
      searches.set(list, typed);
      setSearch(typed);
    },
  ];
}
