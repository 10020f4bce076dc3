import { isPlatformError } from "@platform-rpc/client";
import { type ItemContent, readContent, writeContent } from "@platform-rpc/items/item-content";
import { titleOf } from "@platform-rpc/items/kind-fields";
import { checkAnswer } from "@platform-rpc/items/vault/check-answer";
import type { Revision } from "@platform-rpc/items/vault/memory";
import type { WrittenItem } from "@platform-rpc/items/vault/seal-item";
import type { Item } from "@platform-rpc/types";
import { useEffect, useMemo, useRef, useState } from "react";
import { reportSaved } from "../detail/changed-by.js";
import { isFilled } from "../detail/fields.js";
import { addOwnWrite } from "../opening/own-writes.js";
import { type Members, useConsole } from "../session/console-context.js";
import type { ConsoleSession } from "../session/session.js";
import { useItemChanges } from "../vaults/item-changes.js";
import { useLibrary } from "../vaults/library.js";
import type { OwnVault } from "../vaults/own-vault.js";
import { createDrafts, takeDraft } from "./drafts.js";
import { sealWritten } from "./seal-written.js";

/** How long the person types before their draft is kept, in milliseconds. */
const keepAfterMs = 300;

/** The events after which the page has no time to wait: what was typed last is kept at once. */
const leavings = ["platform-lock", "pagehide"] as const;

interface EditingOptions {
  readonly draftKey: string;
  /** The content that is edited, and its version: 0 for a new item. */
  readonly start: Omit<Written, "base">;
}

/** What a person writes, and what they began with: a draft of last week must not replace what somebody wrote yesterday. */
interface Written {
  readonly content: ItemContent;
  /** Undefined: an earlier release kept the draft without it. */
  readonly base: ItemContent | undefined;
  readonly baseVersion: number;
}

/** What a person writes: from the draft, if there is one. */
export function useDraft({ draftKey, start }: EditingOptions) {
  const { principalId, keys } = useConsole().session;
  const draftsKey = keys?.member?.draftsKey;
  const drafts = useMemo(() => draftsKey && createDrafts(principalId, draftsKey), [principalId, draftsKey]);
  const [written, setWritten] = useState<Written>();
  const [restored, setRestored] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  /** Keeps what was typed last. Undefined: it is kept. */
  const keepLast = useRef<() => void>(undefined);
  const first = useRef({ ...start, base: start.content });
  const ownKey = useRef(draftKey);
  useEffect(() => {
    let left = false;
    const leaving = Promise.withResolvers<void>();
    const read = async () => {
      ownKey.current = await takeDraft(draftKey, leaving.promise);
      const draft = await drafts?.read(ownKey.current);
      if (left) return;
      const found = draft === undefined ? undefined : readDraft(draft);
      setRestored(found !== undefined);
      setWritten(found ?? first.current);
    };
    void read();
    return () => {
      left = true;
      leaving.resolve();
    };
  }, [drafts, draftKey]);
  useEffect(() => {
    const keepNow = () => keepLast.current?.();
    for (const end of leavings) addEventListener(end, keepNow);
    return () => {
      for (const end of leavings) removeEventListener(end, keepNow);
    };
  }, []);
  return {
    /** Undefined until it is known whether there is a draft. */
    written,
    /** Whether it continues what was typed before. */
    restored,
    change(content: ItemContent) {
      const { baseVersion, base } = written ?? first.current;
      setWritten({ content, base, baseVersion });
      clearTimeout(timer.current);
      const draft = JSON.stringify([baseVersion, writeContent(content), base === undefined ? "" : writeContent(base)]);
      keepLast.current = () => {
        clearTimeout(timer.current);
        keepLast.current = undefined;
        drafts?.write(ownKey.current, draft).catch(() => {});
      };
      timer.current = setTimeout(keepLast.current, keepAfterMs);
    },
    async discard() {
      clearTimeout(timer.current);
      keepLast.current = undefined;
      await drafts?.discard(ownKey.current).catch(() => {});
    },
  };
}

function readDraft(text: string): Written | undefined {
  const [baseVersion, content, base = ""]: [number, string, string?] = JSON.parse(text);
  const read = readContent(content);
  return read && { content: read, base: readContent(base), baseVersion };
}

interface Saved {
  readonly vault: OwnVault;
  readonly itemId: string;
  readonly baseVersion: number;
  readonly kind: string;
  readonly content: ItemContent;
  /** The content that it replaces. Undefined for a new item. */
  readonly replaces?: Revision | undefined;
}

/** How a save ended. After a conflict, `now` is the item as somebody else has saved it. */
type SaveResult =
  | { readonly outcome: "saved"; readonly item: Item }
  | { readonly outcome: "conflict"; readonly now: Item }
  | { readonly outcome: "failed" };

/** Saves items, without the fields that are empty, and with a title. After a conflict, the library has the item as it is now. */
export function useSaving() {
  const { session, members } = useConsole();
  const { add } = useLibrary();
  const { refresh } = useItemChanges();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  return {
    busy,
    error,
    async save({ vault, itemId, baseVersion, kind, content, replaces }: Saved): Promise<SaveResult> {
      setBusy(true);
      setError(undefined);
      try {
        const title = titleOf(kind, content);
        const text = writeContent({ ...content, title, fields: content.fields.filter(isFilled) });
        const written = { itemId, baseVersion, kind, title, text, replaces };
        const item = await saveItem(session, members, vault, written);
        add(vault.vaultId, [item]);
        reportSaved({ vaultId: vault.vaultId, item });
        return { outcome: "saved", item };
      } catch (thrown) {
        const cause = thrown instanceof Error ? thrown.cause : undefined;
        const isConflict = isPlatformError(cause, "VERSION_CONFLICT");
        const now = isConflict ? await refresh(vault.vaultId, itemId) : undefined;
        if (now !== undefined) return { outcome: "conflict", now };
        setError(thrown);
        return { outcome: "failed" };
      } finally {
        setBusy(false);
      }
    },
  };
}

/**
 * Encrypts an item for the key of its vault, signs it, and stores it. Resolves with the stored item.
 *
 * @throws VERSION_CONFLICT if the item has another version than the one that is replaced
 */
async function saveItem(
  { tenantId, principalId, keys }: ConsoleSession,
  members: Members,
  { vaultId, key }: OwnVault,
  written: WrittenItem,
): Promise<Item> {
  const sealed = await sealWritten({ tenantId, principalId, keys, vaultId, key }, written);
  addOwnWrite(sealed.encryptedPayload);
  const { item } = await members.putItem({ vaultId, ...sealed });
  return checkAnswer(sealed, item);
}
