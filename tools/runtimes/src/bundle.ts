import { fileURLToPath } from "node:url";
import { type BuildOptions, build } from "esbuild";

const program = fileURLToPath(new URL("program", import.meta.url));

/** Bundles a source of the program, as an application does for its runtime. */
export async function bundle(contents: string, options: BuildOptions): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: program, loader: "ts" },
    bundle: true,
    write: false,
    target: "es2022",
    logLevel: "silent",
    ...options,
  });
  return outputFiles?.[0]?.text ?? "";
}
