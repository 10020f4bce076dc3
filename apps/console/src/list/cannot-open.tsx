/** Says why no item of a list can be opened. @param locked whether the browser has no keys, or else the person has no key of the vault */
export function CannotOpen({ locked }: { readonly locked: boolean }) {
  return (
    <p className="notice">
      {locked ? (
        <>
          Your keys are locked in this browser, so that no item can be opened. <a href={unlockPath()}>Unlock them</a>.
        </>
      ) : (
        "Nobody has shared the key of this vault with you yet, so that its items cannot be opened. Ask its owner."
      )}
    </p>
  );
}

/** The page on which a person proves again who they are, which unlocks their keys. It then comes back. */
function unlockPath(): string {
  return `/sign-in?${new URLSearchParams({ again: "", locked: "", next: location.pathname + location.search })}`;
}
