import { Moment } from "../elements/moment.js";
import type { DiscardedCopy } from "../feed/kept-copies.js";
import { useLibrary } from "../vaults/library.js";
import { useVaultNames } from "../vaults/vault-names.js";

const reasons: Readonly<Record<DiscardedCopy["what"], string>> = {
  behind: "The history of the server ended before it.",
  older: "The server listed an older version of an item.",
  differs: "One of your devices had signed another state.",
};

/** Says which copies of vaults this browser has discarded, because the server contradicted them. */
export function DiscardedCopies() {
  const { feeds } = useLibrary();
  const nameOf = useVaultNames();
  return [...feeds].map(
    ([vaultId, { discarded }]) =>
      discarded && (
        <p className="notice" key={vaultId}>
          <Moment at={new Date(discarded.at).toISOString()} />: this browser discarded its copy of{" "}
          <bdi>{nameOf(vaultId)}</bdi>, which went up to change {discarded.sequence}, and read the vault again from the
          start. {reasons[discarded.what]} A backup may have been restored. If it was not, somebody may hide changes
          from you: compare the vault with your other devices, and ask the operator of the server.
        </p>
      ),
  );
}
