import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { transformerStyleToClass } from "@shikijs/transformers";
import type { DefaultTheme, UserConfig } from "vitepress";
import { slugOf } from "./page.ts";

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
      codeTransformers: [codeStyles],
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
      logLevel: "warn",
      // An inlined image would need `data:` in the security policy.
      build: { assetsInlineLimit: 0, reportCompressedSize: false, chunkSizeWarningLimit: Number.POSITIVE_INFINITY },
    },
  };
}

/** VitePress leaves the page for unknown paths empty until its scripts have run. */
function withContent(html: string, content: string): string {
  return html.replace('<div id="app"></div>', () => `<div id="app">${content}</div>`);
}

interface Token {
  readonly type: string;
  readonly content: string;
  tag: string;
}

/** Makes empty headers of tables ordinary cells, because a screen reader has nothing to say for them. */
function emptyHeadersAsCells(tokens: readonly Token[]): void {
  for (const [index, token] of tokens.entries()) {
    const [content, end] = [tokens[index + 1], tokens[index + 2]];
    if (token.type === "th_open" && content?.content.trim() === "" && end !== undefined) token.tag = end.tag = "td";
  }
}

/** Gives the colours of code to classes, because the security policy of the site allows no style attribute. */
const codeStyles = transformerStyleToClass({ classPrefix: "code-" });

/** Moves the inline scripts and styles of a page to files, so that its security policy needs no 'unsafe-inline'. */
function withoutInline(html: string, outDir: string, base: string): string {
  const asset = (name: string, type: "css" | "js", content: string) => {
    const hash = createHash("sha256").update(content).digest("hex").slice(0, 8);
    const path = `assets/${name}.${hash}.${type}`;
    mkdirSync(join(outDir, "assets"), { recursive: true });
    writeFileSync(join(outDir, path), content);
    return base + path;
  };
  const inline = /<script(?![^>]* src=)[^>]*>(.*?)<\/script>/gs;
  const scripts = [...html.matchAll(inline)].map(([, script]) => script);
  const head = [
    `<link rel="stylesheet" href="${asset("code", "css", codeStyles.getCSS())}">`,
    // Before the page is drawn, because the colour scheme depends on it.
    `<script src="${asset("head", "js", scripts.join("\n"))}"></script>`,
  ];
  return html
    .replace(inline, "")
    .replace(/(<[a-z][^<>]*?) style="[^"]*"/g, "$1")
    .replace(/\s*<link [^>]*vp-icons\.css[^>]*>/, "")
    .replace("</head>", `${head.join("\n    ")}\n  </head>`);
}
