import type { DefaultTheme, UserConfig } from "vitepress";
import { emptyHeadersAsCells } from "./empty-headers.ts";
import { slugOf } from "./headings.ts";
import { codeClasses, withoutInline } from "./security-policy.ts";

/** Returns the settings of VitePress. They are written into a file that VitePress loads, with what was read from the workspace. */
export function siteConfig(
  base: string,
  outDir: string,
  themeConfig: Pick<DefaultTheme.Config, "nav" | "sidebar">,
): UserConfig<DefaultTheme.Config> {
  return {
    base,
    outDir,
    title: "Platform",
    lang: "en",
    cleanUrls: true,
    metaChunk: true,
    // To switch without transitions, VitePress would compute the styles of each page twice more when it opens.
    appearance: { disableTransition: false },
    head: [["link", { rel: "icon", href: `${base}icon.svg`, type: "image/svg+xml" }]],
    markdown: {
      anchor: { slugify: slugOf },
      codeTransformers: [codeClasses],
      config: (markdown) => markdown.core.ruler.push("empty-headers", ({ tokens }) => emptyHeadersAsCells(tokens)),
      theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    },
    themeConfig: {
      ...themeConfig,
      logo: { src: "/icon.svg", width: 24, height: 24 },
      outline: [2, 3],
      search: { provider: "local" },
    },
    transformHtml: (html, _id, { page, content }) =>
      withoutInline(page === "404.md" ? withContent(html, content) : html, outDir, base),
    vite: {
      logLevel: "error",
      // An inlined image would need `data:` in the security policy.
      build: { assetsInlineLimit: 0, reportCompressedSize: false, chunkSizeWarningLimit: Number.POSITIVE_INFINITY },
    },
  };
}

/** VitePress leaves the page for unknown paths empty until its scripts have run. */
function withContent(html: string, content: string): string {
  return html.replace('<div id="app"></div>', () => `<div id="app">${content}</div>`);
}
