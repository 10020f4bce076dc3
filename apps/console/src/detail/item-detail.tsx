import { timestampDate } from "@bufbuild/protobuf/wkt";
import { useAsName } from "@platform-rpc/items/item-use";
import { nameOfKind } from "@platform-rpc/items/kinds";
import { passwordsOf } from "@platform-rpc/items/reused-passwords";
import { useEffect, useRef, useState } from "react";
import { ErrorMessage } from "../elements/error-message.js";
import { Link } from "../elements/link.js";
import { Ago } from "../elements/moment.js";
import { lazyPart, PartBoundary } from "../elements/part-boundary.js";
import { Unfold } from "../elements/unfold.js";
import type { ItemRow } from "../items/item-rows.js";
import { stateInWords, stateOf } from "../items/item-state.js";
import { KindMark } from "../items/kind-mark.js";
import { mayHaveHistory } from "../items/may-have-history.js";
import { isOwnWrite } from "../opening/own-writes.js";
import { useItemChanges } from "../vaults/item-changes.js";
import { useVault } from "../vaults/library.js";
import { canChange, canDestroy, canWrite } from "../vaults/own-vault.js";
import { AgentUse } from "./agent-use.js";
import { Conflict } from "./conflict.js";
import { DeleteForEver } from "./delete-for-ever.js";
import { Deletion } from "./deletion.js";
import { Doubts } from "./doubts.js";
import { Field } from "./field.js";
import { ItemMenu, type ItemSheet } from "./item-menu.js";
import { SamePassword } from "./same-password.js";

const RecentActivity = lazyPart(async () => (await import("../activity/recent.js")).RecentActivity);

export interface ItemDetailProps {
  readonly row: ItemRow;
  /** The item as the person saw it when they wanted to delete it, if it was changed since. */
  readonly conflict: ItemRow | undefined;
  readonly onConflictEnd: () => void;
  /** Deletes the version that the person sees. */
  readonly onDelete: (row: ItemRow) => void;
  readonly onDeleteAnyway: (row: ItemRow) => void;
  readonly onSheet: (what: ItemSheet, row: ItemRow) => void;
  readonly onTag: (tag: string) => void;
}

/** An item, and what the person can do with it. It stays as the person saw it, whatever others do meanwhile. */
export function ItemDetail(props: ItemDetailProps) {
  const { row, conflict, onConflictEnd, onDelete, onDeleteAnyway, onSheet, onTag } = props;
  const vault = useVault(row.vaultId);
  const changes = useItemChanges();
  const [seen, setSeen] = useState(conflict ?? row);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // On a phone, the link that had the focus is not shown any more.
    const focused = document.activeElement;
    if (focused === document.body || focused?.checkVisibility() !== true) heading.current?.focus();
  }, []);
  const isOther = seen.item.version !== row.item.version && !isOwnWrite(row.item);
  const changed = isOther || seen.item.deleted !== row.item.deleted;
  // What was not decrypted yet has not been seen.
  if (seen !== row && (!changed || seen.content === undefined)) setSeen(row);
  const shown = changed ? seen : row;
  const { item, content, title } = shown;
  const retentionDays = vault?.retentionDays;
  const state = stateOf(item, retentionDays);
  const isChangeable = canChange(vault);
  const canEdit = canWrite(vault) && !item.deleted && content?.fields !== undefined && !content.isReadOnly;
  const name = vault?.name ?? row.vaultId;
  // Without the key of a vault, or a signature, the server may have written it.
  const isSealed = vault?.key !== undefined && content?.fields !== undefined && !content.isUnverified;
  const restore = async () => {
    const restored = await changes.restore(shown);
    if (restored !== undefined) setSeen(restored);
  };
  return (
    <article aria-labelledby="item">
      <div className="detail-head">
        <KindMark row={shown} large />
        <div>
          <h2 id="item" tabIndex={-1} ref={heading} dir="auto">
            {title}
          </h2>
          <p className="hint">
            {nameOfKind(item.kind)} · {name}
            {item.updatedAt && (
              <>
                {" "}
                · changed <Ago at={timestampDate(item.updatedAt)} />
              </>
            )}
            {mayHaveHistory(shown) && !item.deleted && !changed && content !== undefined && (
              <>
                {" "}
                ·{" "}
                <button type="button" className="link" onClick={() => onSheet("history", shown)}>
                  History
                </button>
              </>
            )}
          </p>
        </div>
        <div className="detail-actions">
          {item.deleted && <span className="badge">Deleted</span>}
          {vault !== undefined && !isChangeable && <span className="badge">View only</span>}
          {isChangeable && state.state === "deleted" && !changed && (
            <button type="button" data-change disabled={changes.busy} onClick={restore}>
              Restore
            </button>
          )}
          {canDestroy(vault) && state.state === "deleted" && !changed && (
            <DeleteForEver rows={[shown]} words="Delete for ever" />
          )}
          {canEdit && !changed && conflict === undefined && (
            <Link
              data-change
              className="button"
              to="."
              search={{ item: row.key, edit: true }}
              replace
              aria-keyshortcuts="e"
            >
              Edit
            </Link>
          )}
          {isChangeable && state.state === "live" && conflict === undefined && (
            <button
              type="button"
              data-change
              className="danger"
              disabled={changes.busy}
              onClick={() => onDelete(shown)}
            >
              Delete
            </button>
          )}
          <ItemMenu
            row={shown}
            vaultName={name}
            isSealed={isSealed}
            onSheet={canEdit && !changed && conflict === undefined ? onSheet : undefined}
          />
        </div>
      </div>
      {conflict !== undefined ? (
        <Conflict
          seen={conflict}
          now={row}
          onKeep={() => {
            setSeen(row);
            onConflictEnd();
          }}
          onDelete={() => onDeleteAnyway(row)}
        />
      ) : (
        <>
          {changed && <Changed deleted={row.item.deleted} onShow={() => setSeen(row)} />}
          <ErrorMessage error={changes.error} />
          <Doubts content={content} />
          {content?.closed !== undefined && <p className="notice">{content.closed}</p>}
          {content?.fields !== undefined && content.fields.length > 0 && (
            <dl className="card fields">
              {content.fields
                .filter(({ name }) => name !== useAsName)
                .map((field, index) => (
                  // Fields may have equal names.
                  <Field key={`${item.version} ${index}`} field={field}>
                    {!item.deleted && passwordsOf([field]).length > 0 && (
                      <SamePassword row={shown} password={field.value} />
                    )}
                  </Field>
                ))}
            </dl>
          )}
          {content?.fields?.length === 0 && <p>This item has no fields.</p>}
          {!item.deleted && content?.fields !== undefined && <AgentUse kind={item.kind} fields={content.fields} />}
          {content?.tags !== undefined && content.tags.length > 0 && (
            <ul className="tags" aria-label="Tags">
              {content.tags.map((tag) => (
                <li key={tag}>
                  <button type="button" className="chip" onClick={() => onTag(tag)}>
                    <bdi>{tag}</bdi>
                  </button>
                </li>
              ))}
            </ul>
          )}
          {state.state !== "live" && <p className="hint">{stateInWords(state)}.</p>}
          {state.state === "live" && retentionDays === 0 && (
            <p className="hint">Once it is deleted, it cannot be restored.</p>
          )}
          {item.deleted && <Deletion row={shown} />}
        </>
      )}
      <Unfold summary="What was done with it">
        <PartBoundary fallback={<p role="status">Loading…</p>}>
          <RecentActivity of={{ item: row.key }} />
        </PartBoundary>
      </Unfold>
    </article>
  );
}

function Changed({ deleted, onShow }: { readonly deleted: boolean; readonly onShow: () => void }) {
  return (
    <div className="notice changed" role="status">
      <p>{deleted ? "Someone deleted this item." : "Someone changed this item."} You see it as it was.</p>
      <button type="button" onClick={onShow}>
        Show it as it is now
      </button>
    </div>
  );
}
