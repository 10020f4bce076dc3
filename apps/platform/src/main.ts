import { unsupported } from "./unsupported.js";

// A static import would fail on old versions of Node before this check.
const reason = unsupported(process);
if (reason === undefined) {
  const { keepCompiledCode } = await import("./process/compile-cache.js");
  await keepCompiledCode(process.env);
  await import("./start.js");
} else {
  process.stderr.write(`${reason}\n`);
  process.exitCode = 1;
}
