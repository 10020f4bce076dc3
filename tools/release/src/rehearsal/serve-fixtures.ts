import { createInterface } from "node:readline";
import { startReferenceApp } from "./reference-app.ts";

// Runs the reference app of its own workspace, and prints a fixture for each line of its input. It is a separate program because
// only the tools of a release know the private operations of its server. Later releases read these fixtures, so fields are
// only ever added.
const [folder = ""] = process.argv.slice(2);
const app = await startReferenceApp(folder);
for await (const line of createInterface({ input: process.stdin })) {
  if (line === "fixture") console.log(JSON.stringify(await app.createFixture()));
}
await app.stop();
