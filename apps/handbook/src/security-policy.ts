import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { MarkdownOptions } from "vitepress";

/** The policy with which the site works. Its icons are data URLs. */
export const securityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

type CodeTransformer = NonNullable<MarkdownOptions["codeTransformers"]>[number];

/** The styles of code by the names of their classes. */
const codeStyles = new Map<string, string>();

/** Gives the colours of code to classes, because the security policy of the site allows no style attribute. */
export const codeClasses: CodeTransformer = {
  tokens(lines) {
    for (const token of lines.flat()) {
      const style = Object.entries(token.htmlStyle ?? {}).map(([name, value]) => `${name}:${value}`);
      if (style.length === 0) continue;
      const name = `code-${hashOf(style.join(";"))}`;
      codeStyles.set(name, style.join(";"));
      token.htmlStyle = {};
      token.htmlAttrs = { ...token.htmlAttrs, class: name };
    }
  },
};

/** Moves the inline scripts and styles of a page to files, so that its security policy needs no 'unsafe-inline'. */
export function withoutInline(html: string, outDir: string, base: string): string {
  const asset = (name: string, type: "css" | "js", content: string) => {
    const path = `assets/${name}.${hashOf(content)}.${type}`;
    mkdirSync(join(outDir, "assets"), { recursive: true });
    writeFileSync(join(outDir, path), content);
    return base + path;
  };
  const css = [...codeStyles].map(([name, style]) => `.${name}{${style}}`).sort();
  const code = asset("code", "css", css.join("\n"));
  const inline = /<script(?![^>]* src=)[^>]*>(.*?)<\/script>/gs;
  const scripts = [...html.matchAll(inline)].map(([, script]) => script);
  const head = [
    `<link rel="stylesheet" href="${code}">`,
    // Before the page is drawn, because the colour scheme depends on it.
    `<script src="${asset("head", "js", scripts.join("\n"))}"></script>`,
  ];
  return html
    .replace(inline, "")
    .replace(/(<[a-z][^<>]*?) style="[^"]*"/g, "$1")
    .replace(/\s*<link [^>]*vp-icons\.css[^>]*>/, "")
    .replace("</head>", `${head.join("\n    ")}\n  </head>`);
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}
