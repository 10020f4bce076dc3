import { brandName } from "@platform-rpc/accounts/pages/brand";
import { useEffect, useMemo, useState } from "react";
import { useLocation, useSearch } from "wouter";
import { Icon, type IconName } from "../elements/icon.js";
import { Link, type Page } from "../elements/link.js";
import { Menu } from "../elements/menu.js";
import { useConsole } from "../session/console-context.js";
import { lockNow } from "../session/session.js";
import { useLibrary } from "../vaults/library.js";
import { NewVault } from "../vaults/vault-buttons.js";

/** The way to everything. On a phone it is a bar, which opens. */
export function Sidebar() {
  const [path] = useLocation();
  const search = useSearch();
  const [open, setOpen] = useState(false);
  useEffect(() => setOpen(false), [path, search]);
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
          <PageLink to="/agents" icon="agents">
            Agents &amp; apps
          </PageLink>
          <PageLink to="/activity" icon="activity">
            Activity
          </PageLink>
          <PageLink to="/security" icon="security">
            Security
          </PageLink>
        </nav>
        <div className="side-foot">
          <PersonMenu />
        </div>
      </div>
    </header>
  );
}

function Vaults() {
  const { vaults, rows } = useLibrary();
  const counts = useMemo(() => {
    const counts = { all: 0, of: new Map<string, number>() };
    for (const { vaultId, item } of rows) {
      if (item.deleted) continue;
      counts.all += 1;
      counts.of.set(vaultId, (counts.of.get(vaultId) ?? 0) + 1);
    }
    return counts;
  }, [rows]);
  return (
    <>
      <Link to="/">
        <Icon name="items" />
        All items
        <Count of={counts.all} />
      </Link>
      <PageLink to="/favourites" icon="star">
        Favourites
      </PageLink>
      <PageLink to="/passwords" icon="login">
        Passwords
      </PageLink>
      <PageLink to="/deleted" icon="trash">
        Deleted
      </PageLink>
      <div className="side-title">
        <h2>Vaults</h2>
        <NewVault />
      </div>
      {vaults?.map(
        ({ vaultId, name, deleted }) =>
          deleted || (
            <Link key={vaultId} to={`/vaults/${vaultId}`}>
              <Icon name="vault" />
              <span dir="auto">{name}</span>
              <Count of={counts.of.get(vaultId) ?? 0} />
            </Link>
          ),
      )}
    </>
  );
}

interface PageLinkProps {
  readonly to: Page;
  readonly icon: IconName;
  readonly children: string;
}

function PageLink({ to, icon, children }: PageLinkProps) {
  return (
    <Link to={to}>
      <Icon name={icon} />
      {children}
    </Link>
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

function PersonMenu() {
  const { displayName } = useConsole().session;
  return (
    <div className="person">
      <button type="button" className="quiet" popoverTarget="person-menu">
        <span dir="auto">{displayName}</span>
        <Icon name="down" />
      </button>
      <Menu id="person-menu">
        <Link className="button quiet" to="/person">
          Your account
        </Link>
        <Link data-change className="button quiet" to="/import">
          Import
        </Link>
        <Link className="button quiet" to="/export">
          Export
        </Link>
        <button type="button" className="quiet" onClick={lockNow}>
          Lock now
        </button>
        <form method="post" action="/sign-out">
          <button type="submit" className="quiet">
            Sign out
          </button>
        </form>
      </Menu>
    </div>
  );
}
