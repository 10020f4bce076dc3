import { Link } from "@tanstack/react-router";
import { ErrorMessage } from "../elements/error-message.js";
import { useVaults } from "./use-vaults.js";

/** The vaults of the person. */
export function VaultsPage() {
  const { vaults, error, hasNextPage, fetchNextPage, refetch } = useVaults();
  return (
    <>
      <h1>Your vaults</h1>
      <ErrorMessage error={error} />
      {error !== null && (
        <button type="button" onClick={() => refetch()}>
          Try again
        </button>
      )}
      {vaults === undefined && error === null && <p role="status">Loading your vaults…</p>}
      {vaults?.length === 0 && (
        <p>
          You are not a member of a vault yet. Ask the owner of a vault to add you: it then appears here, and each of
          its items opens once its key is wrapped for you.
        </p>
      )}
      <ul className="plain">
        {vaults?.map(({ vaultId, role, retentionDays }) => (
          <li key={vaultId}>
            <Link to="/vaults/$vaultId" params={{ vaultId }}>
              {vaultId}
            </Link>
            <p className="hint">
              Your role: {role}. {retentionOf(retentionDays)}
            </p>
          </li>
        ))}
      </ul>
      {hasNextPage && (
        <button type="button" onClick={() => fetchNextPage()}>
          More vaults
        </button>
      )}
    </>
  );
}

function retentionOf(days: number): string {
  return days === 0
    ? "A deleted item is destroyed at once."
    : `A deleted item can be restored for ${days} ${days === 1 ? "day" : "days"}.`;
}
