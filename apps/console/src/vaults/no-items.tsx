interface NoItemsProps {
  readonly loading: boolean;
  /** Whether the vault contains nothing at all, not even a deleted item. */
  readonly empty: boolean;
  readonly search: string;
}

/** What is shown instead of an empty table. */
export function NoItems({ loading, empty, search }: NoItemsProps) {
  if (loading) return <p role="status">Loading the items…</p>;
  if (empty) {
    return (
      <p>
        This vault has no items yet. A program that holds your keys can add one, such as an agent that calls PutItem: it
        then appears here at once.
      </p>
    );
  }
  if (search !== "") {
    return <p>No title or kind contains “{search}”. The search looks at decrypted titles, in this browser only.</p>;
  }
  return <p>All items of this vault are deleted. Select “Show deleted items” to see and restore them.</p>;
}
