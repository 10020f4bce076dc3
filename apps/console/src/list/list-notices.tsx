import { ErrorMessage } from "../elements/error-message.js";
import { useLibrary, useVault } from "../vaults/library.js";

/** Says why a list should not be relied on, or is not there. @param vaultId undefined: the list has the items of all vaults */
export function ListNotices({ vaultId }: { readonly vaultId: string | undefined }) {
  const { vaults, doubts, error, again } = useLibrary();
  const vault = useVault(vaultId);
  return (
    <>
      {vault?.key?.wrappedKey === "" && (
        <p className="notice">
          Nobody has shared the key of this vault with you yet, so that its items cannot be opened. Ask its owner.
        </p>
      )}
      {vaults?.map((each) => {
        const doubt = (vaultId ?? each.vaultId) === each.vaultId ? doubts.get(each.vaultId) : undefined;
        return (
          doubt !== undefined && (
            <p className="notice" role="alert" key={each.vaultId}>
              <bdi>{each.name}</bdi>: {doubt}
            </p>
          )
        );
      })}
      {error != null && vaults === undefined && (
        <div className="list-error">
          <ErrorMessage error={error} />
          <button type="button" onClick={again}>
            Try again
          </button>
        </div>
      )}
    </>
  );
}
