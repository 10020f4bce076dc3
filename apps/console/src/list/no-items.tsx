import type { ReactNode } from "react";
import { KindLinks } from "../editing/new-item-menu.js";
import { Icon, type IconName } from "../elements/icon.js";
import { Link } from "../elements/link.js";
import { useConsole } from "../session/console-context.js";
import { useLibrary } from "../vaults/library.js";
import { canWrite } from "../vaults/own-vault.js";

interface NoItemsProps {
  /** Undefined: the items of all vaults. */
  readonly vaultId: string | undefined;
  readonly deleted: boolean;
  readonly favourites: boolean;
  /** Whether a kind or a tag is chosen. */
  readonly narrowed: boolean;
  /** Whether the person has no such vault. */
  readonly missing: boolean;
  /** Whether the person is writing an item: then nothing else is offered. */
  readonly adding: boolean;
  /** Whether the vaults could not be listed: that is said elsewhere. */
  readonly failed: boolean;
  readonly search: string;
}

export function NoItems(props: NoItemsProps) {
  const { vaultId, deleted, favourites, narrowed, missing, adding, failed, search } = props;
  const { principalId, displayName } = useConsole().session;
  const { vaults, rows } = useLibrary();
  const home = <Link to="/">See all your items</Link>;
  if (missing)
    return <Empty icon="vault" words="This vault is not there, or not shared with you any more." link={home} />;
  if (failed && vaults === undefined) return undefined;
  if (search !== "") {
    return (
      <Empty
        icon="items"
        words={`Nothing here contains “${search}” in its title, kind, user name, websites, tags or notes.`}
      />
    );
  }
  if (narrowed) return <Empty icon="items" words="No items are of this kind and have this tag." />;
  if (favourites)
    return <Empty icon="star" words="Nothing is a favourite yet: edit an item, and choose Favourite." link={home} />;
  if (deleted)
    return <Empty icon="trash" words="Nothing is deleted: what you delete can be restored here." link={home} />;
  if (vaults?.length === 0) {
    return <Empty icon="vault" words="You have no vault yet: ask the owner of a vault to share it with you." />;
  }
  if (adding) return <Empty icon="items" words="No items are here yet." />;
  const canAdd = vaults?.some((vault) => vault.vaultId === (vaultId ?? vault.vaultId) && canWrite(vault)) === true;
  // The vault is the person's, and they have no item in any other one.
  const isFirst =
    rows.length === 0 &&
    (vaultId ?? principalId) === principalId &&
    vaults?.some((vault) => vault.vaultId === principalId) === true;
  return (
    <div className="empty">
      {isFirst ? (
        <>
          <h2>
            Your vault is ready, <bdi>{displayName}</bdi>
          </h2>
          <p>Only you can read what is in it.</p>
        </>
      ) : (
        <p>No items are here yet.</p>
      )}
      {canAdd && (
        <nav className="first-kinds" aria-label="Add items">
          <Link data-change className="button first-import" to="/import">
            <Icon name="import" />
            <span>
              Import
              <span className="hint">Bring your passwords from a browser or from another password manager.</span>
            </span>
          </Link>
          <p>Or write the first item yourself:</p>
          <KindLinks />
        </nav>
      )}
      {isFirst && (
        <Link className="button quiet" to="/agents">
          Connect an agent
        </Link>
      )}
      {vaultId !== undefined && home}
    </div>
  );
}

interface EmptyProps {
  readonly icon: IconName;
  readonly words: string;
  readonly link?: ReactNode;
}

function Empty({ icon, words, link }: EmptyProps) {
  return (
    <div className="empty">
      <Icon name={icon} />
      <p>{words}</p>
      {link}
    </div>
  );
}
