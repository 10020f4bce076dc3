import { brandName } from "@platform-rpc/accounts/pages/brand";
import { Link, useLocation } from "@tanstack/react-router";
import { useEffect, useMemo, useState } from "react";
import { Icon } from "../elements/icon.js";
import { useLibrary } from "../vaults/library.js";
import { NewVault } from "../vaults/new-vault.js";
import { ConnectionBadge } from "./connection.js";
import { PersonMenu } from "./person-menu.js";

/** The way to everything. On a phone it is a bar, which opens. */
export function Sidebar() {
  const { href } = useLocation();
  const [open, setOpen] = useState(false);
  useEffect(() => setOpen(false), [href]);
  return (
    <header className="side" data-open={open}>
      <div className="side-head">
        <Link className="brand" to="/">
          <img src="/assets/icon.svg" alt="" width="24" height="24" />
          {brandName}
        </Link>
        <button
          type="button"
          className="quiet side-toggle"
          aria-expanded={open}
          aria-controls="side"
          onClick={() => setOpen(!open)}
        >
          <Icon name="menu" />
          Menu
        </button>
      </div>
      <div className="side-body" id="side">
        <nav aria-label="Your vault">
          <Vaults />
          <div className="side-title">
            <h2>Account</h2>
          </div>
          <Link to="/agents">
            <Icon name="agents" />
            Agents &amp; apps
          </Link>
          <Link to="/activity">
            <Icon name="activity" />
            Activity
          </Link>
          <Link to="/security">
            <Icon name="security" />
            Security
          </Link>
        </nav>
        <div className="side-foot">
          <ConnectionBadge />
          <PersonMenu />
        </div>
      </div>
    </header>
  );
}

function Vaults() {
  const { vaults, rows } = useLibrary();
  const counts = useMemo(() => {
    const counts = { all: 0, deleted: 0, of: new Map<string, number>() };
    for (const { vaultId, item } of rows) {
      if (item.deleted) counts.deleted += 1;
      else {
        counts.all += 1;
        counts.of.set(vaultId, (counts.of.get(vaultId) ?? 0) + 1);
      }
    }
    return counts;
  }, [rows]);
  return (
    <>
      <Link to="/" activeOptions={{ exact: true, includeSearch: false }}>
        <Icon name="items" />
        All items
        <Count of={counts.all} />
      </Link>
      <Link to="/deleted" activeOptions={{ includeSearch: false }}>
        <Icon name="trash" />
        Deleted
        <Count of={counts.deleted} />
      </Link>
      <div className="side-title">
        <h2>Vaults</h2>
        <NewVault />
      </div>
      {vaults?.map(
        ({ vaultId, name, deleted }) =>
          deleted || (
            <Link key={vaultId} to="/vaults/$vaultId" params={{ vaultId }} activeOptions={{ includeSearch: false }}>
              <Icon name="vault" />
              <span dir="auto">{name}</span>
              <Count of={counts.of.get(vaultId) ?? 0} />
            </Link>
          ),
      )}
    </>
  );
}

/** How many items are behind a link. Not a part of its name: that stays the same. */
function Count({ of }: { readonly of: number }) {
  return (
    <span className="count" aria-hidden="true">
      {of > 0 && of}
    </span>
  );
}
