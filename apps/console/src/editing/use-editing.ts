import { isPlatformError } from "@platform-rpc/client";
import { type ItemContent, readContent, writeContent } from "@platform-rpc/items/item-content";
import type { Item } from "@platform-rpc/types";
import { useEffect, useMemo, useRef, useState } from "react";
import { useConsole } from "../session/console-context.js";
import { useItemChanges } from "../vaults/item-changes.js";
import { useLibrary } from "../vaults/library.js";
import type { OwnVault } from "../vaults/own-vault.js";
import { createDrafts } from "./drafts.js";
import { saveItem } from "./save-item.js";

/** How long the person types before their draft is kept, in milliseconds. */
const keepAfterMs = 300;

interface EditingOptions {
  /** Under which name the draft is kept. */
  readonly draftKey: string;
  /** The content that is edited, and its version: 0 for a new item. */
  readonly start: Written;
}

/** What a person writes, and the version that they have seen: a draft of last week must not replace what somebody wrote yesterday. */
interface Written {
  readonly content: ItemContent;
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
  const first = useRef(start);
  useEffect(() => {
    let left = false;
    const read = async () => {
      const draft = await drafts?.read(draftKey);
      if (left) return;
      const found = draft === undefined ? undefined : readDraft(draft);
      setRestored(found !== undefined);
      setWritten(found ?? first.current);
    };
    void read();
    return () => {
      left = true;
    };
  }, [drafts, draftKey]);
  return {
    /** Undefined until it is known whether there is a draft. */
    written,
    /** Whether it continues what was typed before. */
    restored,
    change(content: ItemContent) {
      const { baseVersion } = written ?? first.current;
      setWritten({ content, baseVersion });
      clearTimeout(timer.current);
      const draft = JSON.stringify([baseVersion, writeContent(content)]);
      timer.current = setTimeout(() => void drafts?.write(draftKey, draft).catch(() => {}), keepAfterMs);
    },
    async discard() {
      clearTimeout(timer.current);
      await drafts?.discard(draftKey).catch(() => {});
    },
  };
}

/** Returns the fields that contain something. */
export function filledFields({ fields }: Pick<ItemContent, "fields">): ItemContent["fields"] {
  return fields.filter(({ value }) => value !== "");
}

function readDraft(text: string): Written | undefined {
  const [baseVersion, content]: [number, string] = JSON.parse(text);
  const read = readContent(content);
  return read && { content: read, baseVersion };
}

/** An item to be saved. */
interface Saved {
  readonly vault: OwnVault;
  readonly itemId: string;
  readonly baseVersion: number;
  readonly kind: string;
  readonly content: ItemContent;
}

/** How a save ended. After a conflict, `now` is the item as somebody else has saved it; undefined if it could not be read. */
type SaveResult =
  | { readonly outcome: "saved"; readonly item: Item }
  | { readonly outcome: "conflict"; readonly now: Item | undefined }
  | { readonly outcome: "failed" };

/** Saves items, without the fields that are empty. After a conflict, the library has the item as it is now. */
export function useSaving() {
  const { session, calls } = useConsole();
  const { add } = useLibrary();
  const { refresh } = useItemChanges();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  return {
    busy,
    error,
    async save({ vault, itemId, baseVersion, kind, content }: Saved): Promise<SaveResult> {
      setBusy(true);
      setError(undefined);
      try {
        const text = writeContent({ ...content, fields: filledFields(content) });
        const written = { itemId, baseVersion, kind, title: content.title, text };
        const item = await saveItem(session, calls.member, vault, written);
        add(vault.vaultId, [item]);
        return { outcome: "saved", item };
      } catch (thrown) {
        const cause = thrown instanceof Error ? thrown.cause : undefined;
        if (!isPlatformError(cause, "VERSION_CONFLICT")) {
          setError(thrown);
          return { outcome: "failed" };
        }
        return { outcome: "conflict", now: await refresh(vault.vaultId, itemId) };
      } finally {
        setBusy(false);
      }
    },
  };
}
