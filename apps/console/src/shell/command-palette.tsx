import { kindInSentence, newKinds } from "@platform-rpc/items/kinds";
import { type KeyboardEvent, useMemo, useState } from "react";
import { Icon } from "../elements/icon.js";
import { type Page, useNavigate } from "../elements/link.js";
import { Sheet } from "../elements/sheet.js";
import { iconOfKind } from "../items/kind-icon.js";
import { signOut } from "../session/leave.js";
import { lockNow } from "../session/session.js";
import { useLibrary } from "../vaults/library.js";
import { useVaultNames } from "../vaults/vault-names.js";
import { findEntries, itemEntries, type PaletteEntry } from "./palette-entries.js";
import "./command-palette.css";

export function CommandPalette({ onClose }: { readonly onClose: () => void }) {
  const entries = useEntries();
  const [search, setSearch] = useState("");
  const [active, setActive] = useState(0);
  const found = useMemo(() => findEntries(entries, search), [entries, search]);
  const run = (entry: PaletteEntry | undefined) => {
    if (entry === undefined) return;
    onClose();
    entry.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by !== undefined && found.length > 0) setActive((active + by + found.length) % found.length);
    else if (event.key === "Enter") run(found[active]);
    else return;
    event.preventDefault();
  };
  return (
    <Sheet title="Go to or do" onClose={onClose}>
      <input
        type="search"
        role="combobox"
        aria-label="Search everything"
        aria-expanded={found.length > 0}
        aria-controls="palette"
        aria-activedescendant={found.length > 0 ? `palette-${active}` : undefined}
        autoComplete="off"
        ref={focus}
        value={search}
        onChange={(event) => {
          setSearch(event.target.value);
          setActive(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div className="palette" id="palette" role="listbox" aria-label="Found">
        {found.map((entry, index) => (
          <button
            type="button"
            // The search field keeps the focus and has the keys.
            tabIndex={-1}
            key={entry.id}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === active}
            ref={index === active ? scrollTo : undefined}
            onClick={() => run(entry)}
          >
            <Icon name={entry.icon} />
            <span dir="auto">{entry.words}</span>
            <span className="hint">{entry.hint}</span>
          </button>
        ))}
      </div>
      <p role="status" className={found.length > 0 ? "unseen" : "hint"}>
        {found.length === 0 ? "Nothing has this name." : `${found.length} found`}
      </p>
    </Sheet>
  );
}

function focus(element: HTMLElement | null): void {
  element?.focus();
}

function scrollTo(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: "nearest" });
}

function useEntries(): readonly PaletteEntry[] {
  const { vaults, rows } = useLibrary();
  const nameOf = useVaultNames();
  const navigate = useNavigate();
  return useMemo(() => {
    const page = (to: Page, icon: PaletteEntry["icon"], words: string): PaletteEntry => {
      return { id: to, icon, words, hint: "Page", run: () => navigate({ to }) };
    };
    return [
      page("/", "items", "All items"),
      page("/favourites", "star", "Favourites"),
      page("/deleted", "trash", "Deleted"),
      ...(vaults ?? []).map(({ vaultId, name }) => ({
        id: `vault ${vaultId}`,
        icon: "vault" as const,
        words: name,
        hint: "Vault",
        run: () => navigate({ to: `/vaults/${vaultId}` }),
      })),
      page("/agents", "agents", "Agents & apps"),
      page("/activity", "activity", "Activity"),
      page("/security", "security", "Security"),
      page("/passwords", "warning", "Weak or reused passwords"),
      page("/import", "import", "Import items"),
      page("/export", "file", "Export"),
      ...newKinds.map((kind) => ({
        id: `new ${kind}`,
        icon: iconOfKind(kind),
        words: `New ${kindInSentence(kind)}`,
        hint: "Action",
        run: () => navigate({ to: "/", search: { new: kind } }),
      })),
      { id: "lock", icon: "security", words: "Lock now", hint: "Action", run: lockNow },
      { id: "sign out", icon: "person", words: "Sign out", hint: "Action", run: signOut },
      ...itemEntries(rows, nameOf, ({ vaultId, key }) => {
        navigate({ to: `/vaults/${vaultId}`, search: { item: key } });
      }),
    ];
  }, [vaults, rows, nameOf, navigate]);
}
