/** The page after sign-in, unless the person wanted another one. */
export const vaultPath = "/console";

/** Returns the path of the sign-in page, which leads to `next`. */
export function signInPath(next: string, { again = false }: { readonly again?: boolean } = {}): string {
  return `/sign-in?${new URLSearchParams({ ...(again && { again: "" }), next })}`;
}

/** Returns the path of the sign-up page, which leads to `next`. */
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
