import { argv } from "node:process";
import { lighthouseScores } from "./lighthouse-scores.ts";
import { serveSite } from "./serve-site.ts";

const [, , command] = argv;
if (command === "preview") {
  const { url } = await serveSite(8089);
  console.log(`The site is at ${url}. Stop it with Ctrl-C.`);
} else if (command === "check") {
  const results = await lighthouseScores();
  for (const { path, scores, passed } of results)
    console.log(`${passed ? "passed" : "FAILED"}  ${scores}  ${path || "/"}`);
  if (!results.every(({ passed }) => passed)) process.exitCode = 1;
} else {
  console.error("Use: pnpm site preview | check");
  process.exitCode = 1;
}
