import { useEffect, useState } from "react";
import { Link } from "../elements/link.js";
import type { ItemRow } from "../items/item-rows.js";
import { useLibrary } from "../vaults/library.js";

/** Keeps that an item is used while it is open. */
export function useRecent(openKey: string | undefined): void {
  const { kept } = useLibrary();
  useEffect(() => {
    if (openKey !== undefined) kept.use(openKey);
  }, [kept, openKey]);
}

/** The items that the person used last in this browser. They keep their places while the person looks at them. */
export function RecentItems({ rows }: { readonly rows: readonly ItemRow[] }) {
  const { kept } = useLibrary();
  const [keys, setKeys] = useState<readonly string[]>([]);
  useEffect(() => {
    void kept.recent().then(setKeys);
  }, [kept]);
  // Also those that are not decrypted yet: the list keeps its place when they are.
  const recent = keys.flatMap((key) => rows.find((row) => row.key === key && row.content?.closed === undefined) ?? []);
  if (recent.length === 0) return undefined;
  return (
    <nav className="list-tools" aria-labelledby="recent">
      <h2 className="hint" id="recent">
        Recently used
      </h2>
      <div className="chips">
        {recent.map(({ key, title }) => (
          <Link key={key} className="button chip" to="." search={{ item: key }}>
            <bdi>{title}</bdi>
          </Link>
        ))}
      </div>
    </nav>
  );
}
