import { KindLinks } from "../editing/new-item-menu.js";
import { Icon } from "../elements/icon.js";
import { Link } from "../elements/link.js";
import { useConsole } from "../session/console-context.js";

interface FirstStepsProps {
  /** Whether the vault is the person's, and they have no item in any other one. */
  readonly isFirst: boolean;
  /** Whether the person can add items. */
  readonly canAdd: boolean;
}

/** What a person can do about a vault without items. */
export function FirstSteps({ isFirst, canAdd }: FirstStepsProps) {
  const { displayName } = useConsole().session;
  return (
    <>
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
    </>
  );
}
