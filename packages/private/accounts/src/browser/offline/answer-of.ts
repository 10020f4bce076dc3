/** The files of one build of the vault's page. */
export interface Shell {
  /** Differs between builds. */
  readonly id: string;
  readonly page: string;
  /** The hashes of the files by their paths, the page included, as `integrity` of `fetch` takes them. */
  readonly files: Readonly<Record<string, string>>;
}

/**
 * Returns what the worker does with a request: nothing, unless it opens a page of the vault or is for a file of its own build. So it never
 * sees an endpoint, a page of the account, a token or a code.
 */
export function answerOf(
  { method, mode, url }: Pick<Request, "method" | "mode" | "url">,
  { files }: Pick<Shell, "files">,
  ownOrigin: string,
): "page" | "file" | undefined {
  const { origin, pathname, search } = new URL(url);
  if (method !== "GET" || origin !== ownOrigin) return undefined;
  if (Object.hasOwn(files, pathname + search)) return "file";
  return mode === "navigate" && /^\/console(?:$|\/(?!assets\/))/.test(pathname) ? "page" : undefined;
}
