import { nameOfKind } from "@platform-rpc/items/kinds";
import { useDeferredValue, useMemo, useState } from "react";
import { ErrorMessage } from "../elements/error-message.js";
import { Icon } from "../elements/icon.js";
import type { Meaning } from "../import-formats/csv-columns.js";
import type { ImportedItem, Skipped } from "../import-formats/format.js";
import type { ReadImport } from "../import-formats/read-import.js";
import { countOf } from "../items/count-of.js";
import { iconOfKind } from "../items/kind-icon.js";
import { useConsole } from "../session/console-context.js";
import { useLibrary } from "../vaults/library.js";
import type { OwnVault } from "../vaults/own-vault.js";
import { ColumnsTable } from "./columns-table.js";
import { withoutDuplicates } from "./duplicates.js";
import { SkippedList } from "./skipped-list.js";

interface PreviewProps {
  readonly read: Extract<ReadImport, { readonly outcome: "read" }>;
  /** Whether the file is read again. */
  readonly reading: boolean;
  /** Those that the person can write in. */
  readonly vaults: readonly OwnVault[];
  readonly onMeanings: (meanings: readonly Meaning[]) => void;
  readonly onStart: (vault: OwnVault, items: readonly ImportedItem[], skipped: readonly Skipped[]) => Promise<void>;
}

/** How many items are shown. */
const shown = 5;

/** Shows what a file contains, before anything is stored. */
export function Preview({ read, reading, vaults, onMeanings, onStart }: PreviewProps) {
  const { principalId } = useConsole().session;
  const { rows } = useLibrary();
  const [chosen, setChosen] = useState(principalId);
  const [skipsKnown, setSkipsKnown] = useState(true);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const { items, skipped, columns, format } = read;
  const vault = vaults.find(({ vaultId }) => vaultId === chosen) ?? vaults[0];
  const known = useDeferredValue(rows);
  const ofVault = useMemo(() => known.filter(({ vaultId }) => vaultId === vault?.vaultId), [known, vault?.vaultId]);
  const fresh = useMemo(() => withoutDuplicates(items, ofVault), [items, ofVault]);
  const isOpening = ofVault.some(({ content }) => content === undefined);
  const duplicates = items.length - fresh.length;
  const wanted = skipsKnown ? fresh : items;
  const start = async () => {
    if (vault === undefined) return;
    setBusy(true);
    setError(undefined);
    const isThere = { where: countOf({ length: duplicates }), why: "They are in the vault already." };
    try {
      await onStart(vault, wanted, skipsKnown && duplicates > 0 ? [isThere, ...skipped] : skipped);
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <p role="status">
        {format}: {countOf(items)}
        {skipped.length > 0 && `, and ${skipped.length} that cannot be imported as they are`}.
      </p>
      {columns && <ColumnsTable columns={columns} onChange={onMeanings} />}
      <ul className="import-preview" aria-label="The first items">
        {items.slice(0, shown).map(({ kind, content }, index) => (
          <li key={index}>
            <Icon name={iconOfKind(kind)} />
            <bdi>{content.title}</bdi>
            <span className="hint">
              {nameOfKind(kind)}, {content.fields.length} {content.fields.length === 1 ? "field" : "fields"}
            </span>
          </li>
        ))}
      </ul>
      <SkippedList skipped={skipped} title="Not imported" />
      {vaults.length > 1 && (
        <>
          <label htmlFor="import-vault">Vault</label>
          <select id="import-vault" value={vault?.vaultId} onChange={({ target }) => setChosen(target.value)}>
            {vaults.map(({ vaultId, name }) => (
              <option key={vaultId} value={vaultId}>
                {name}
              </option>
            ))}
          </select>
        </>
      )}
      {duplicates > 0 && (
        <label className="import-choice">
          <input type="checkbox" checked={skipsKnown} onChange={({ target }) => setSkipsKnown(target.checked)} />
          Skip {countOf({ length: duplicates })} that the vault has already
        </label>
      )}
      {isOpening && (
        <p className="hint">The items of the vault are still being decrypted, to find those that it has already.</p>
      )}
      <ErrorMessage error={error} />
      <div className="actions">
        <button
          type="button"
          className="primary"
          disabled={busy || reading || isOpening || wanted.length === 0}
          onClick={() => void start()}
        >
          Import {countOf(wanted)}
        </button>
      </div>
    </>
  );
}
