/** The page after sign-in, unless the person wanted another one. */
export const vaultPath = "/console";

/** The page of the vault for passkeys, the recovery code and sessions. */
export const securityPath = `${vaultPath}/security`;

/**
 * Returns the path of the sign-in page, which leads to `next`. A person who is signed in proves with `again` who they are, unlocks the
 * browser with `locked`, and chooses an account with `select`.
 */
export function signInPath(
  next: string,
  options: { readonly again?: boolean; readonly locked?: boolean; readonly select?: boolean } = {},
): string {
  const set = Object.entries(options).flatMap(([name, isSet]) => (isSet ? [[name, ""]] : []));
  return `/sign-in?${new URLSearchParams([...set, ["next", next]])}`;
}

export function signUpPath(next: string): string {
  return next === vaultPath ? "/sign-up" : `/sign-up?${new URLSearchParams({ next })}`;
}

/**
 * Returns the path to go to after sign-in: `next` if it is a path of this origin, otherwise the vault. A link to the sign-in
 * page can contain anything, and must not lead to another site.
 */
export function pathAfterSignIn(next: string | undefined, origin: string): string {
  const url = next?.startsWith("/") ? URL.parse(next, origin) : null;
  return url?.origin === origin && !url.pathname.startsWith("//") ? url.pathname + url.search : vaultPath;
}
