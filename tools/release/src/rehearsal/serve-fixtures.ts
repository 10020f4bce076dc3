import { createInterface } from "node:readline";
import { startPlatformApp } from "./platform-app.ts";

// Runs the platform app of this workspace, and prints a fixture for each line `fixture` of its input. A separate program, because
// only the tools of the same release know the server's private operations. Later releases read these fixtures, so fields
// are only added, never changed.
const [folder = ""] = process.argv.slice(2);
const app = await startPlatformApp(folder);
for await (const line of createInterface({ input: process.stdin })) {
  if (line === "fixture") console.log(JSON.stringify(await app.createFixture()));
}
await app.stop();
