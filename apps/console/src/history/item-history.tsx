import { contentProblem } from "@platform-rpc/items/item-content";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Comparison } from "../detail/comparison.js";
import { CopyButton } from "../detail/copy-button.js";
import { Doubts } from "../detail/doubts.js";
import { FieldValue, ShowButton, useMask } from "../detail/field.js";
import { compareContents } from "../detail/fields.js";
import { useSaving } from "../editing/use-editing.js";
import { ErrorMessage } from "../elements/error-message.js";
import { Ago, Moment, momentInWords } from "../elements/moment.js";
import { Sheet } from "../elements/sheet.js";
import type { ItemRow } from "../items/item-rows.js";
import { writtenIn } from "../opening/open-content.js";
import { useConsole } from "../session/console-context.js";
import { useVault } from "../vaults/library.js";
import { canWrite } from "../vaults/own-vault.js";
import { type Earlier, readEarlier } from "./earlier-contents.js";
import { type ReplacedPassword, replacedPasswords } from "./replaced-passwords.js";
import "./history.css";

interface ItemHistoryProps {
  readonly row: ItemRow;
  readonly onClose: () => void;
}

/** The contents of an item that were replaced: each can be compared with the content of today, and brought back. */
export function ItemHistory({ row, onClose }: ItemHistoryProps) {
  const { session, members } = useConsole();
  const vault = useVault(row.vaultId);
  const { save, busy, error } = useSaving();
  const [compared, setCompared] = useState<Earlier>();
  const [isConflict, setIsConflict] = useState(false);
  const reading = useQuery({
    queryKey: ["earlier contents", row.key, row.item.version],
    queryFn: () => (vault === undefined ? [] : readEarlier(row.item, vault, session, members)),
    // Nothing that is decrypted is kept longer than it is shown.
    gcTime: 0,
  });
  const bringBack = async ({ kind, content }: Earlier) => {
    if (content.fields === undefined || vault === undefined) return;
    const { itemId, version: baseVersion } = row.item;
    const replaces = row.content?.revision;
    const saved = await save({ vault, itemId, baseVersion, kind, content: writtenIn(content), replaces });
    setIsConflict(saved.outcome === "conflict");
    if (saved.outcome === "saved") onClose();
  };
  const canEdit = vault !== undefined && canWrite(vault);
  const passwords = replacedPasswords(reading.data ?? [], row.content);
  return (
    <Sheet title="History" onClose={onClose}>
      <p className="hint">
        The last 20 contents that were replaced, each for a year. Only people who can read the item can read them. They
        are deleted for ever with it.
      </p>
      <ErrorMessage error={reading.error ?? error} />
      {isConflict && (
        <p className="notice" role="alert">
          The item has changed. Close the history, and look at it.
        </p>
      )}
      {reading.isPending && <p role="status">Decrypting…</p>}
      {reading.data?.length === 0 && <p>Nothing of this item was replaced in the last year.</p>}
      {reading.data !== undefined && reading.data.length > 0 && (
        <ol className="earlier-contents" aria-label="Earlier contents">
          {reading.data.map((earlier) => (
            <EarlierContent
              key={earlier.replacedAt.getTime()}
              earlier={earlier}
              now={row}
              isCompared={compared === earlier}
              onCompare={(on) => setCompared(on ? earlier : undefined)}
              onBringBack={canEdit ? () => void bringBack(earlier) : undefined}
              busy={busy}
            />
          ))}
        </ol>
      )}
      {passwords.length > 0 && (
        <>
          <h3>Passwords replaced</h3>
          <dl className="card fields">
            {passwords.map((password) => (
              <Password key={password.replacedAt.getTime()} {...password} />
            ))}
          </dl>
        </>
      )}
    </Sheet>
  );
}

interface EarlierContentProps {
  readonly earlier: Earlier;
  readonly now: ItemRow;
  readonly isCompared: boolean;
  readonly onCompare: (on: boolean) => void;
  /** Undefined: the person may not change the item. */
  readonly onBringBack: (() => void) | undefined;
  readonly busy: boolean;
}

function EarlierContent({ earlier, now, isCompared, onCompare, onBringBack, busy }: EarlierContentProps) {
  const { kind, replacedAt, content } = earlier;
  const problem = content.fields && contentProblem(content);
  const at = momentInWords(replacedAt.toISOString());
  const bringBack = `Bring back, replaced ${at}`;
  return (
    <li>
      <div className="earlier-content">
        <span>
          Replaced <Ago at={replacedAt} />{" "}
          <span className="hint">
            <Moment at={replacedAt.toISOString()} />
          </span>
        </span>
        {content.closed === undefined && (
          <button
            type="button"
            className="quiet"
            aria-expanded={isCompared}
            aria-label={`Compare, replaced ${at}`}
            onClick={() => onCompare(!isCompared)}
          >
            Compare
          </button>
        )}
      </div>
      {content.closed !== undefined && <p className="notice">{content.closed}</p>}
      {isCompared && content.closed === undefined && (
        <div className="conflict">
          <Doubts content={content} />
          <Comparison
            fields={compareContents({ ...content, kind }, { ...now.content, kind: now.item.kind })}
            before="Then"
            after="Now"
          />
          {problem !== undefined && <p className="hint">It cannot be brought back. {problem}</p>}
          {onBringBack && problem === undefined && (
            <div className="actions">
              <button type="button" data-change disabled={busy} aria-label={bringBack} onClick={onBringBack}>
                Bring back
              </button>
            </div>
          )}
        </div>
      )}
    </li>
  );
}

function Password({ value, replacedAt }: ReplacedPassword) {
  const { shown, toggle } = useMask("secret");
  const label = `the password replaced ${momentInWords(replacedAt.toISOString())}`;
  return (
    <div className="field">
      <dt>
        Replaced <Moment at={replacedAt.toISOString()} />
      </dt>
      <dd>
        <FieldValue value={value} shown={shown} isSecret />
        <span className="field-actions">
          {toggle && <ShowButton label={label} shown={shown} onToggle={toggle} />}
          <CopyButton label={label} value={async () => value} />
        </span>
      </dd>
    </div>
  );
}
