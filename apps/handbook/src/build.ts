import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";
import { build } from "vitepress";
import { readChangelogPages } from "./changelog-pages.ts";
import { navOf, pagesBeforeGroups, sidebarsOf } from "./navigation.ts";
import { notFoundText } from "./not-found.ts";
import { pagesOf, readSite, type SiteSection } from "./read-site.ts";
import { readReferencePages } from "./reference-pages.ts";
import { base, writeCopies, writeSources } from "./write-pages.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
/** What VitePress reads. */
const sources = fileURLToPath(new URL("../pages", import.meta.url));
/** The result. It is named like the path under which the platform serves it. */
const target = fileURLToPath(new URL("../dist/docs", import.meta.url));

// A build without declarations has no reference, and is only used to run tests.
if (!argv.includes("--no-dts")) await buildSite();

async function buildSite(): Promise<void> {
  const reference = await readReferencePages();
  const added: Readonly<Record<string, SiteSection["groups"]>> = {
    API: [{ title: "Packages", pages: reference.entries }],
    Changelog: [{ pages: readChangelogPages(root) }],
  };
  const site = readSite(root).map((section) => ({
    ...section,
    groups: [...section.groups, ...(added[section.title] ?? [])],
  }));
  const listed = pagesOf(site);
  const pages = [...listed, ...reference.exports];

  rmSync(sources, { recursive: true, force: true });
  rmSync(dirname(target), { recursive: true, force: true });
  writeSources(pages, pagesBeforeGroups(site), root, sources);
  const own = join(sources, ".vitepress");
  mkdirSync(join(own, "theme"), { recursive: true });
  mkdirSync(join(sources, "public"));
  copyFileSync(join(root, "packages/accounts/src/pages/icon.svg"), join(sources, "public/icon.svg"));
  // VitePress requires default exports.
  const settings = [base, target, { nav: navOf(site), sidebar: sidebarsOf(site) }].map((each) => JSON.stringify(each));
  writeFileSync(
    join(own, "config.ts"),
    `import { siteConfig } from "../../src/config.ts";\nexport default siteConfig(${settings.join(", ")});\n`,
  );
  writeFileSync(
    join(own, "theme/index.ts"),
    [
      'import theme from "vitepress/theme-without-fonts";',
      'import { withNotFoundPage } from "../../../src/not-found-page.ts";',
      'import "../../../src/theme.css";',
      `export default withNotFoundPage(theme, ${JSON.stringify(base)});\n`,
    ].join("\n"),
  );
  await build(sources);
  writeFileSync(join(target, "404.txt"), notFoundText(base));
  writeCopies(pages, new Map(site.map((section) => [section.title, pagesOf([section])])), root, target);
}
