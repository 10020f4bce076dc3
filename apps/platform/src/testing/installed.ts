import { execFile } from "node:child_process";
import { findInstalled } from "@platform-rpc/testbed/files";

export { installedHaproxy as haproxy } from "@platform-rpc/testbed/haproxy";

/** Part of Debian's package prometheus. */
export const promtool = findInstalled("PROMTOOL_PATH", "promtool");

export function runTool(
  path: string,
  args: readonly string[],
  { input = "", cwd }: { readonly input?: string; readonly cwd?: string } = {},
): Promise<{ readonly code: number; readonly output: string }> {
  return new Promise((resolve) => {
    const child = execFile(path, args, { cwd }, (error, out, err) => {
      resolve({ code: error === null ? 0 : typeof error.code === "number" ? error.code : -1, output: out + err });
    });
    child.stdin?.end(input);
  });
}
