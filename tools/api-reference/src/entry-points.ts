import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** An entry point that a program can import. */
export interface EntryPoint {
  /** The import specifier, such as "@platform-rpc/client/json". */
  readonly name: string;
  readonly packageName: string;
  /** The path of its published declarations. */
  readonly declarations: string;
  /** The path of its introduction: the package's README for the main entry point. */
  readonly readme: string | undefined;
}

/** All public entry points except `@platform-rpc/types-connect-v1`, whose API is that of `@platform-rpc/types` for Connect-ES v1. */
export const publicEntryPoints: readonly EntryPoint[] = ["broker", "client", "mcp", "server", "types"].flatMap(
  (name) => {
    const folder = join(root, "packages", name);
    const { name: packageName, exports }: Manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return Object.entries(exports).flatMap(([path, target]) =>
      typeof target === "string"
        ? []
        : {
            name: join(packageName, path),
            packageName,
            declarations: join(folder, target.import.types),
            readme: path === "." ? join(folder, "README.md") : undefined,
          },
    );
  },
);

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, string | { readonly import: { readonly types: string } }>>;
}
