import type { Theme } from "vitepress";
import { h } from "vue";
import { notFoundMessage } from "./not-found.ts";

// The build must not import this module: Vue would be loaded before VitePress has chosen its production build.

/** Returns the theme with the message in the place of VitePress's own. */
export function withNotFoundPage(theme: Theme, base: string): Theme {
  const { Layout } = theme;
  if (Layout === undefined) throw new Error("The theme has no layout.");
  return { ...theme, Layout: () => h(Layout, null, { "not-found": () => notFoundPage(base) }) };
}

function notFoundPage(base: string) {
  const link = (href: string, text: string) => h("a", { href }, text);
  return h("main", { class: "vp-doc not-found" }, [
    h("h1", notFoundMessage.title),
    h("p", notFoundMessage.text),
    h("ul", [
      h("li", [link(base, "Start"), " of the documentation"]),
      h("li", [h("button", { type: "button", onClick: openSearch }, "Search"), " in all pages"]),
      h("li", [link(`${base}errors`, "Errors"), ": a page for each reason of an error"]),
    ]),
  ]);
}

/** Opens the search of VitePress, which has no URL. */
function openSearch(): void {
  document.querySelector<HTMLElement>("#local-search button")?.click();
}
