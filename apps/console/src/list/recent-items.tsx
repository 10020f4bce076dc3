import { useEffect, useState } from "react";
import { Link } from "../elements/link.js";
import type { ItemRow } from "../items/item-rows.js";
import { KindMark } from "../items/kind-mark.js";
import { useLibrary } from "../vaults/library.js";

/** Keeps that an item is used while it is open. */
export function useRecent(openKey: string | undefined): void {
  const { kept } = useLibrary();
  useEffect(() => {
    if (openKey !== undefined) void kept.then((copies) => copies?.use(openKey));
  }, [kept, openKey]);
}

interface RecentItemsProps {
  readonly rows: readonly ItemRow[];
}

/** The items that the person used last in this browser. They keep their places while the person looks at them. */
export function RecentItems({ rows }: RecentItemsProps) {
  const { kept } = useLibrary();
  const [keys, setKeys] = useState<readonly string[]>([]);
  useEffect(() => {
    void kept.then((copies) => copies?.recent()).then((recent = []) => setKeys(recent));
  }, [kept]);
  const recent = keys.flatMap((key) => rows.find((row) => row.key === key && row.content?.fields !== undefined) ?? []);
  if (recent.length === 0) return undefined;
  return (
    <nav className="recent" aria-labelledby="recent">
      <h2 id="recent">Recently used</h2>
      <div>
        {recent.map((row) => (
          <Link key={row.key} className="button quiet" to="." search={{ item: row.key }} title={row.title}>
            <KindMark row={row} />
            <bdi>{row.title}</bdi>
          </Link>
        ))}
      </div>
    </nav>
  );
}
