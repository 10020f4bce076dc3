import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

// The package has no types.
const workerd: {
  /** The path of the binary. */
  readonly default: string;
  /** The newest compatibility date that the binary supports. */
  readonly compatibilityDate: string;
} = createRequire(import.meta.url)("workerd");

export const workerdPath = workerd.default;

const config = `
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "worker", worker = .worker),
    (name = "internet", network = (allow = ["private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "worker")],
);

const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.js")],
  compatibilityDate = "${workerd.compatibilityDate}",
);
`;

/** Starts a bundled worker on a free port. Its `fetch` can reach private addresses. */
export async function startWorkerd(script: string) {
  const folder = mkdtempSync(join(tmpdir(), "workerd-"));
  writeFileSync(join(folder, "worker.js"), script);
  writeFileSync(join(folder, "config.capnp"), config);
  const child = spawn(workerdPath, ["serve", "--control-fd=3", join(folder, "config.capnp")], {
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  const ended = once(child, "close");
  // Also ends the worker when this process ends early.
  process.once("exit", () => child.kill("SIGKILL"));
  const control = child.stdio[3];
  if (!control) throw new TypeError("workerd has no control descriptor to report its port");
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk: Buffer) => {
      printed += chunk.toString();
    });
  }
  // One line of JSON: {"event":"listen","socket":"http","port":40000}.
  const [line] = await Promise.race([once(control, "data"), ended]);
  const port: unknown = /"port":(\d+)/.exec(`${line}`)?.[1];
  if (port === undefined) throw new Error(`workerd did not start:\n${printed}`);
  return {
    url: `http://127.0.0.1:${port}`,
    printed: () => printed,
    async stop() {
      child.kill("SIGTERM");
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}
