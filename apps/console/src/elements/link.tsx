import { type AnchorHTMLAttributes, useCallback } from "react";
import { useLocation, useSearch, Link as WouterLink } from "wouter";

/** The address of a page of the vault, without its base. */
export type Page =
  | `/${"" | "activity" | "agents" | "deleted" | "export" | "favourites" | "import" | "passwords" | "person" | "security"}`
  | `/vaults/${string}`;

interface Place {
  /** "." is the page that is shown. */
  readonly to: Page | ".";
  readonly search?: Readonly<Record<string, string | true>>;
  /** The id of the element that is scrolled to. */
  readonly hash?: string;
}

interface Navigation extends Place {
  /** Whether the Back of the browser leads to the place before the current one. */
  readonly replace?: boolean;
}

interface LinkProps extends Navigation, Omit<AnchorHTMLAttributes<HTMLAnchorElement>, "href" | "className"> {
  readonly className?: string;
}

export function Link({ to, search = {}, hash = "", ...attributes }: LinkProps) {
  const [path] = useLocation();
  const current = to === path ? "page" : undefined;
  return <WouterLink {...attributes} href={addressOf({ to, search, hash }, path)} aria-current={current} />;
}

export function useNavigate(): (navigation: Navigation) => void {
  const [path, setLocation] = useLocation();
  return useCallback(
    ({ replace = false, ...place }) => setLocation(addressOf(place, path), { replace }),
    [path, setLocation],
  );
}

export function useQuery(): URLSearchParams {
  useSearch();
  // What `useSearch` returns is decoded already.
  return new URLSearchParams(location.search);
}

function addressOf({ to, search = {}, hash = "" }: Place, path: string): string {
  const query = new URLSearchParams(Object.entries(search).map(([name, value]) => [name, String(value)])).toString();
  const page = to === "." ? path : to;
  // The vault itself has no slash at its end.
  return `${page === "/" ? "" : page}${query && "?"}${query}${hash && "#"}${hash}`;
}
