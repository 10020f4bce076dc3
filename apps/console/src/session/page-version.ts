const storedAs = "vault: reloaded for";

export interface PageVersions {
  /** The scripts of this page. Their names have hashes of their contents. */
  readonly shown: string | undefined;
  /** The scripts of the page as the server has it now. Undefined if it does not answer. */
  readonly served: string | undefined;
  /** The scripts for which the page was reloaded before. */
  readonly reloadedFor: string | null;
  /** Whether a field contains something that the person typed. */
  readonly typed: boolean;
}

/**
 * Returns whether the page reloads itself: once for each version of the server, so that it never does so in a loop, and not while the
 * person would lose what they typed.
 */
export function shouldReload({ shown, served, reloadedFor, typed }: PageVersions): boolean {
  return served !== undefined && served !== shown && served !== reloadedFor && !typed;
}

/** Reloads the page if the server has another version of it. Call it when a script could not be loaded: the old ones may be gone. */
export async function reloadIfUpdated(): Promise<void> {
  const response = await fetch("/console", { headers: { "X-Person-Active": "no" } }).catch(() => undefined);
  const served = response?.ok === true ? scriptsOf(await response.text()) : undefined;
  const versions = {
    shown: scriptsOf(document.documentElement.outerHTML),
    served,
    reloadedFor: sessionStorage.getItem(storedAs),
    typed: [...document.querySelectorAll("input, textarea")].some(isTyped),
  };
  if (served === undefined || !shouldReload(versions)) return;
  sessionStorage.setItem(storedAs, served);
  location.reload();
}

function isTyped(field: Element): boolean {
  const typesText =
    field instanceof HTMLTextAreaElement || (field instanceof HTMLInputElement && field.type !== "checkbox");
  return typesText && field.value !== field.defaultValue;
}

function scriptsOf(html: string): string {
  return Array.from(html.matchAll(/<script[^>]* src="(\/console\/assets\/[^"]+)"/g), ([, path]) => path).join(" ");
}
