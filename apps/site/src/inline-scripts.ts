import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Moves the inline scripts of a page to a file, so that the security policy of the site needs no 'unsafe-inline' for scripts. */
export function withoutInlineScripts(html: string, outDir: string, base: string): string {
  return html.replace(/<script(?![^>]* src=)[^>]*>(.*?)<\/script>/gs, (_, code: string) => {
    const name = `assets/inline.${createHash("sha256").update(code).digest("hex").slice(0, 8)}.js`;
    mkdirSync(join(outDir, "assets"), { recursive: true });
    writeFileSync(join(outDir, name), code);
    return `<script src="${base}${name}"></script>`;
  });
}
