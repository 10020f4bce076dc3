import { type Theme, withBase } from "vitepress";
import defaultTheme from "vitepress/theme-without-fonts";
import { h } from "vue";
import { notFoundMessage } from "./not-found.ts";

// The build must not import this module: Vue would be loaded before VitePress has chosen its production build.

export const theme: Theme = {
  extends: defaultTheme,
  Layout: () => h(defaultTheme.Layout, null, { "not-found": notFoundPage }),
};

function notFoundPage() {
  const link = (path: string, text: string) => h("a", { href: withBase(path) }, text);
  return h("main", { class: "vp-doc not-found" }, [
    h("h1", notFoundMessage.title),
    h("p", notFoundMessage.text),
    h("ul", [
      h("li", [link("/", "Start"), " of the documentation"]),
      h("li", [h("button", { type: "button", onClick: openSearch }, "Search"), " in all pages"]),
      h("li", [link("/errors", "Errors"), ": a page for each reason of an error"]),
    ]),
  ]);
}

function openSearch(): void {
  document.querySelector<HTMLElement>("#local-search button")?.click();
}
