import { createInterface } from "node:readline";
import { startReferenceApp } from "./reference-app.ts";

// Runs the reference app of its own workspace, and prints a scene for each line of its input. A program of its own, because
// only the tools of a release know the private operations of its server. Later releases read these scenes: add to them only.
const [folder = ""] = process.argv.slice(2);
const app = await startReferenceApp(folder);
for await (const line of createInterface({ input: process.stdin })) {
  if (line === "scene") console.log(JSON.stringify(await app.scene()));
}
await app.stop();
