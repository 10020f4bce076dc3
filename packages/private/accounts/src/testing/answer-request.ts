import type { SiteBrowser } from "./site-browser.js";

/** What a person was asked for, and where their answer was sent. */
export interface AnsweredRequest {
  /** The scopes that the page offered. Empty if there was no page. */
  readonly offered: readonly string[];
  readonly redirectedTo: URL;
}

/**
 * Opens an authorization request in the browser of a person who is signed in, and approves what it offers.
 *
 * @param allows whether the person approves a scope. Default: every scope.
 */
export async function approveRequest(
  browser: SiteBrowser,
  url: URL,
  allows: (scope: string) => boolean = () => true,
): Promise<AnsweredRequest> {
  if (url.origin !== browser.origin) throw new TypeError("the request is for another authorization server");
  const page = await browser.send(url.pathname + url.search);
  if (page.location !== undefined) return redirected([], page.location, browser);
  const [, action = "", content = ""] =
    /<form [^>]*action="([^"]*)"[^>]*>((?:(?!<\/form>).)*name="decision".*?)<\/form>/s.exec(String(page.body)) ?? [];
  if (content === "") throw new Error(`nobody is asked to decide: ${page.status}`);
  const fields = [...content.matchAll(/<input [^>]*name="([^"]*)" value="([^"]*)"/g)].map(
    ([, name = "", value = ""]) => [name, unescaped(value)],
  );
  const offered = fields.flatMap(([name, value]) => (name === "scope" && value !== undefined ? [value] : []));
  const allowed = fields.filter(([name, value = ""]) => name !== "scope" || allows(value));
  const form = new URLSearchParams([...allowed, ["decision", "approve"]]);
  const { status, location } = await browser.send(unescaped(action), { form });
  if (status !== 303 || location === undefined) throw new Error(`the answer was not accepted: ${status}`);
  return redirected(offered, location, browser);
}

function redirected(offered: readonly string[], location: string, { origin }: SiteBrowser): AnsweredRequest {
  const redirectedTo = new URL(location, origin);
  if (redirectedTo.origin === origin) throw new Error(`the browser was sent to ${redirectedTo.pathname}`);
  return { offered, redirectedTo };
}

function unescaped(text: string): string {
  const letters: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
  return text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => letters[name] ?? "");
}
