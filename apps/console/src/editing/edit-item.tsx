import type { ItemContent } from "@platform-rpc/items/item-content";
import { emptyFields } from "@platform-rpc/items/kind-fields";
import { kindInSentence } from "@platform-rpc/items/kinds";
import { useState } from "react";
import { Comparison } from "../detail/comparison.js";
import { compareContents } from "../detail/fields.js";
import type { ItemRow } from "../items/item-rows.js";
import { writtenIn } from "../opening/open-content.js";
import { useVault } from "../vaults/library.js";
import { ItemForm } from "./item-form.js";
import { filledFields, useDraft, useSaving } from "./use-editing.js";
import "./editing.css";

interface EditItemProps {
  readonly row: ItemRow;
  readonly onDone: () => void;
}

/** Edits an item that is open. What the person writes stays, whatever others do with the item meanwhile. */
export function EditItem({ row, onDone }: EditItemProps) {
  const [begun, setBegun] = useState<ItemRow>();
  const content = begun?.content;
  if (begun === undefined && row.content?.fields !== undefined) setBegun(row);
  if (row.content?.closed !== undefined && begun === undefined) return <p className="notice">{row.content.closed}</p>;
  if (content?.fields === undefined || begun === undefined) return <p role="status">Loading…</p>;
  const start = { content: withEmptyFields(begun.item.kind, writtenIn(content)), baseVersion: begun.item.version };
  return <Editor row={row} start={start} onDone={onDone} />;
}

interface EditorProps extends EditItemProps {
  readonly start: { readonly content: ItemContent; readonly baseVersion: number };
}

function Editor({ row, start, onDone }: EditorProps) {
  const { vaultId, item } = row;
  const vault = useVault(vaultId);
  const { written, restored, change, discard } = useDraft({ draftKey: row.key, start });
  const [conflict, setConflict] = useState(false);
  const { busy, error, save } = useSaving();
  if (written === undefined || vault === undefined) return <p role="status">Loading…</p>;
  const { content, baseVersion } = written;
  const end = () => void discard().then(onDone);
  const saveOver = async (version: number) => {
    const { outcome } = await save({ vault, itemId: item.itemId, baseVersion: version, kind: item.kind, content });
    setConflict(outcome === "conflict");
    if (outcome === "saved") end();
  };
  return (
    <article aria-labelledby="edited">
      <h2 id="edited">Edit {kindInSentence(item.kind)}</h2>
      {restored && <p className="notice">This continues what you typed before and have not saved.</p>}
      {conflict ? (
        <SaveConflict row={row} written={content} busy={busy} onSave={() => void saveOver(item.version)} onKeep={end} />
      ) : (
        <ItemForm
          kind={item.kind}
          content={content}
          onChange={change}
          busy={busy}
          error={error}
          onSave={() => void saveOver(baseVersion)}
          onDiscard={end}
        />
      )}
    </article>
  );
}

/** Adds the fields that every item of the kind can have: an item is stored without those that are empty. */
function withEmptyFields(kind: string, content: ItemContent): ItemContent {
  const names = new Set(content.fields.map(({ name }) => name));
  return { ...content, fields: [...content.fields, ...emptyFields(kind).filter(({ name }) => !names.has(name))] };
}

interface SaveConflictProps {
  /** The item as it is now. */
  readonly row: ItemRow;
  readonly written: ItemContent;
  readonly busy: boolean;
  readonly onSave: () => void;
  readonly onKeep: () => void;
}

/** Shows what the person wrote next to what somebody else has saved meanwhile. Nothing is saved before the person decides. */
function SaveConflict({ row: { item, content }, written, busy, onSave, onKeep }: SaveConflictProps) {
  return (
    <section className="conflict" aria-labelledby="conflict">
      <h3 id="conflict">Someone changed this while you were editing</h3>
      <p>
        {item.deleted
          ? "Someone else deleted it, so nothing was saved. What you wrote is kept until you discard it: restore the item, and edit it again."
          : "Nothing was saved. What is different is marked."}
      </p>
      {!item.deleted && content?.fields !== undefined && (
        <Comparison
          fields={compareContents({ ...written, fields: filledFields(written) }, content)}
          before="What you wrote"
          after="Now"
        />
      )}
      <div className="actions">
        {!item.deleted && (
          <button type="button" disabled={busy || content?.fields === undefined} onClick={onSave}>
            Save yours anyway
          </button>
        )}
        <button type="button" className="primary" onClick={onKeep}>
          {item.deleted ? "Discard what you wrote" : "Keep the new version"}
        </button>
      </div>
    </section>
  );
}
