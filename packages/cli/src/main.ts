import { nodeTooOld } from "@platform-rpc/signed-in/node-too-old";

// A static import would fail on old versions of Node before this check.
const message = nodeTooOld("platform", "22.12");
if (message === undefined) await (await import("./start.js")).start(process.argv.slice(2));
else {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}
