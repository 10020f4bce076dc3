import { labelOf } from "@platform-rpc/items/kind-fields";
import { nameOfKind } from "@platform-rpc/items/kinds";
import { useDeferredValue, useMemo, useState } from "react";
import { ErrorMessage } from "../elements/error-message.js";
import { Icon } from "../elements/icon.js";
import type { ReadOptions } from "../import-formats/format.js";
import { quoted } from "../import-formats/item-builder.js";
import type { ReadImport } from "../import-formats/read-import.js";
import { countOf } from "../items/count-of.js";
import { iconOfKind } from "../items/kind-icon.js";
import { useConsole } from "../session/console-context.js";
import { useLibrary } from "../vaults/library.js";
import type { OwnVault } from "../vaults/own-vault.js";
import { writtenChanges } from "./batches.js";
import { Changes } from "./changes.js";
import { ColumnsTable } from "./columns-table.js";
import { additionKey, compareItems } from "./duplicates.js";
import { SkippedList } from "./skipped-list.js";
import type { WantedImport } from "./use-import.js";

interface PreviewProps {
  readonly read: Extract<ReadImport, { readonly outcome: "read" }>;
  readonly reading: boolean;
  /** Those that the person can write in. */
  readonly vaults: readonly OwnVault[];
  readonly onChange: (options: ReadOptions) => void;
  readonly onStart: (vault: OwnVault, wanted: WantedImport) => Promise<void>;
}

/** How many items are shown. */
const shown = 5;

export function Preview({ read, reading, vaults, onChange, onStart }: PreviewProps) {
  const { principalId } = useConsole().session;
  const { rows } = useLibrary();
  const [chosen, setChosen] = useState(principalId);
  const [skipsKnown, setSkipsKnown] = useState(true);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const { items, skipped, columns, format } = read;
  const vault = vaults.find(({ vaultId }) => vaultId === chosen) ?? vaults[0];
  const opened = useDeferredValue(rows);
  const ofVault = useMemo(() => opened.filter(({ vaultId }) => vaultId === vault?.vaultId), [opened, vault?.vaultId]);
  const compared = useMemo(() => compareItems(items, ofVault), [items, ofVault]);
  const [leftOut, setLeftOut] = useState<ReadonlySet<string>>(new Set());
  const isOpening = ofVault.some(({ content }) => content === undefined);
  const duplicates = items.length - compared.fresh.length;
  const { fresh, known, changes } = skipsKnown ? compared : { fresh: items, known: [], changes: [] };
  const changed = writtenChanges(changes, leftOut);
  const whole = skipped.filter(({ isPart }) => !isPart).length;
  const isAsked = columns?.firstRow === "unknown";
  const kinds = Map.groupBy(items, ({ kind }) => kind);
  const isThere = known.map(({ item, as }) => {
    const where = quoted(item.content.title);
    return { where, why: `It is in the vault already${item.content.title === as ? "" : `, as ${quoted(as)}`}.` };
  });
  const notAdded = changes.flatMap((change) =>
    change.added
      .filter((field) => leftOut.has(additionKey(change, field)))
      .map(({ name }) => ({ where: quoted(change.row.title), why: `You left out ${labelOf(name)}.` })),
  );
  const left = [...isThere, ...notAdded, ...skipped];
  const start = async () => {
    if (vault === undefined) return;
    setBusy(true);
    setError(undefined);
    try {
      await onStart(vault, { items: fresh, changes: changed, skipped: left });
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
        {whole > 0 && `, and ${whole} that cannot be imported`}.
        {kinds.size > 1 && ` ${[...kinds].map(([kind, { length }]) => `${nameOfKind(kind)}: ${length}`).join(", ")}.`}
      </p>
      {columns && <ColumnsTable columns={columns} onChange={onChange} />}
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
      <SkippedList skipped={left} title="Not imported" />
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
        <label className="choice">
          <input type="checkbox" checked={skipsKnown} onChange={({ target }) => setSkipsKnown(target.checked)} />
          Skip {countOf({ length: duplicates })} that the vault has already
        </label>
      )}
      <Changes changes={changes} leftOut={leftOut} onChange={setLeftOut} />
      {isOpening && (
        <p className="hint">The items of the vault are still being decrypted, to find those that it has already.</p>
      )}
      <ErrorMessage error={error} />
      <div className="actions">
        <button
          data-change
          type="button"
          className="primary"
          disabled={busy || reading || isOpening || isAsked || fresh.length + changed.length === 0}
          onClick={() => void start()}
        >
          {actionOf(fresh, changed)}
        </button>
      </div>
    </>
  );
}

type Counted = Parameters<typeof countOf>[0];

function actionOf(fresh: Counted, changed: Counted): string {
  if (changed.length === 0) return `Import ${countOf(fresh)}`;
  return `${fresh.length === 0 ? "Add" : `Import ${countOf(fresh)}, and add`} to ${countOf(changed)}`;
}
