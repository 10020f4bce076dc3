import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../..", import.meta.url));

/** What a program can import. */
export interface EntryPoint {
  /** As it is imported: "@platform-rpc/client/json". */
  readonly name: string;
  readonly packageName: string;
  /** The declarations that are published for it. */
  readonly declarations: string;
  /** What introduces it: the package's README, for its main entry point. */
  readonly readme: string | undefined;
}

/** `@platform-rpc/types-connect-v1` is left out: it says the same as `@platform-rpc/types`, for an old runtime. */
export const publicEntryPoints: readonly EntryPoint[] = ["broker", "client", "server", "types"].flatMap((name) => {
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
});

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, string | { readonly import: { readonly types: string } }>>;
}
