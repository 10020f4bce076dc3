import { argv } from "node:process";
import { runLighthouse } from "./run-lighthouse.ts";
import { serveSite } from "./serve-site.ts";

const [, , command] = argv;
if (command === "preview") {
  const { url } = await serveSite(8089);
  console.log(`The site is at ${url}. Stop it with Ctrl-C.`);
} else if (command === "check") {
  if (!(await runLighthouse(console.log))) process.exitCode = 1;
} else {
  console.error("Use: pnpm site preview | check");
  process.exitCode = 1;
}
