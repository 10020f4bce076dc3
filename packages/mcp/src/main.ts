import { nodeTooOld } from "@platform-rpc/signed-in/node-too-old";

const message = nodeTooOld("platform-mcp", "22.12");
if (message === undefined) {
  // A static import would fail on old versions of Node before this check.
  const { run } = await import("./run.js");
  process.exitCode = await run(process.argv.slice(2), process.env, {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
  });
} else {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}
