import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import lighthouse from "lighthouse";
import { chromium } from "playwright-core";
import { chromiumPath } from "./chromium-path.ts";
import { kindsOfPages } from "./kinds-of-pages.ts";
import { serveSite } from "./serve-site.ts";

const categories = ["performance", "accessibility", "best-practices"];
const least = 0.95;

/** The result of one page. */
interface LighthouseResult {
  readonly path: string;
  /** As text: "performance 0.99, accessibility 1, best-practices 1". */
  readonly scores: string;
  readonly passed: boolean;
}

/** Runs Lighthouse on a page of each kind, as on a telephone. */
export async function lighthouseScores(): Promise<readonly LighthouseResult[]> {
  const site = await serveSite();
  const home = mkdtempSync(join(tmpdir(), "lighthouse-"));
  const port = 9222;
  const browser = await chromium.launch({
    executablePath: chromiumPath,
    env: { ...process.env, HOME: home },
    args: ["--no-sandbox", "--disable-gpu", `--remote-debugging-port=${port}`],
  });
  try {
    const results: LighthouseResult[] = [];
    for (const path of kindsOfPages) {
      const run = await lighthouse(site.url + path, { port, onlyCategories: categories, logLevel: "error" });
      if (process.argv.includes("--why"))
        for (const a of Object.values(run?.lhr.audits ?? {}))
          if ((a.score ?? 1) < 0.95) console.log("   ", a.id, a.score, a.displayValue);
      const scores = categories.map((name) => ({ name, score: run?.lhr.categories[name]?.score ?? 0 }));
      results.push({
        path,
        scores: scores.map(({ name, score }) => `${name} ${score}`).join(", "),
        passed: scores.every(({ score }) => score >= least),
      });
    }
    return results;
  } finally {
    await browser.close();
    site.close();
    rmSync(home, { recursive: true, maxRetries: 10 });
  }
}
