import type { ItemContent } from "@platform-rpc/items/item-content";
import { emptyFields } from "@platform-rpc/items/kind-fields";
import { kindInSentence } from "@platform-rpc/items/kinds";
import { useEffect, useEffectEvent, useState } from "react";
import { useNavigate } from "../elements/link.js";
import type { ItemRow } from "../items/item-rows.js";
import { writtenIn } from "../opening/open-content.js";
import { useVault } from "../vaults/library.js";
import { ItemForm } from "./item-form.js";
import { type Choices, mergeContents } from "./merge-contents.js";
import { LostItem, SaveConflict } from "./save-conflict.js";
import { useDraft, useSaving } from "./use-editing.js";
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
  const navigate = useNavigate();
  const { written, restored, change, discard } = useDraft({ draftKey: row.key, start });
  // The version that could not be replaced any more.
  const [conflict, setConflict] = useState<number>();
  const [stored, setStored] = useState<number>();
  const [choices, setChoices] = useState<Choices>(new Map());
  const { busy, error, save } = useSaving();
  const isConflict = conflict !== undefined && conflict !== item.version;
  const theirs = isConflict ? theirsIn(row) : undefined;
  const base = row.content?.isUnverified || row.content?.finding !== undefined ? undefined : written?.base;
  const merged = theirs && written && mergeContents({ base, mine: written.content, theirs }, choices);
  const isMerged = merged?.conflicts.length === 0;
  const end = () => void discard().then(onDone);
  const saveOver = async (content: ItemContent, baseVersion: number) => {
    if (vault === undefined) return;
    setConflict(undefined);
    setChoices(new Map());
    const place = { vault, itemId: item.itemId, baseVersion, kind: item.kind };
    const saved = await save({ ...place, content, replaces: row.content?.revision });
    if (saved.outcome === "conflict") setConflict(baseVersion);
    if (saved.outcome === "saved") setStored(saved.item.version);
  };
  const saveAsNew = async (content: ItemContent) => {
    if (vault === undefined) return;
    const itemId = crypto.randomUUID();
    const { outcome } = await save({ vault, itemId, baseVersion: 0, kind: item.kind, content });
    if (outcome !== "saved") return;
    await discard();
    navigate({ to: ".", search: { item: `${vaultId}/${itemId}` }, replace: true });
  };
  const saveMerged = useEffectEvent(() => {
    if (merged !== undefined) void saveOver(merged.content, item.version);
  });
  // Nobody is asked if the two sides changed different fields.
  useEffect(() => {
    if (isMerged) saveMerged();
  }, [isMerged]);
  // The item is shown as it was saved, and not as somebody else had saved it before.
  const isShown = stored !== undefined && item.version >= stored;
  const endEvent = useEffectEvent(end);
  useEffect(() => {
    if (isShown) endEvent();
  }, [isShown]);
  if (written === undefined || vault === undefined) return <p role="status">Loading…</p>;
  const { content, baseVersion } = written;
  const isLost = item.deleted || row.content?.closed !== undefined || row.content?.isReadOnly === true;
  return (
    <article aria-labelledby="edited">
      <h2 id="edited">Edit {kindInSentence(item.kind)}</h2>
      {restored && <p className="notice">This continues what you typed before and have not saved.</p>}
      {isConflict && isLost ? (
        <LostItem row={row} busy={busy} error={error} onSave={() => void saveAsNew(content)} onDiscard={end} />
      ) : merged !== undefined && !isMerged ? (
        <SaveConflict
          row={row}
          conflicts={merged.conflicts}
          choices={choices}
          onChoices={setChoices}
          busy={busy}
          error={error}
          onSave={() => void saveOver(merged.content, item.version)}
          onBack={() => setConflict(undefined)}
        />
      ) : (
        <ItemForm
          kind={item.kind}
          content={content}
          onChange={change}
          busy={busy || conflict !== undefined || stored !== undefined}
          error={error}
          onSave={() => void saveOver(content, baseVersion)}
          onDiscard={end}
        />
      )}
    </article>
  );
}

/** Returns what somebody else has saved. Undefined until it is decrypted, and if nothing can be merged with it. */
function theirsIn({ item, content }: ItemRow): ItemContent | undefined {
  if (item.deleted || content?.fields === undefined || content.isReadOnly) return undefined;
  return writtenIn(content);
}

/** Adds the fields that every item of the kind can have: an item is stored without those that are empty. */
function withEmptyFields(kind: string, content: ItemContent): ItemContent {
  const names = new Set(content.fields.map(({ name }) => name));
  return { ...content, fields: [...content.fields, ...emptyFields(kind).filter(({ name }) => !names.has(name))] };
}
