import type { Consumer } from "./consumers.ts";

/** The package that carries the oldest Node that the packages support, for this machine. */
export const oldestNode = `node-${process.platform}-${process.arch}`;
const oldestNodeMajor = "18";

/** The package.json of a project. */
export function manifestOf({ ours, tag, installs, typescript, runs }: Consumer) {
  const dependencies = { ...installs, ...Object.fromEntries(ours.map((name) => [name, tag])) };
  const node = runs === "oldest node" ? { [oldestNode]: oldestNodeMajor } : {};
  const devDependencies = { typescript, "@types/node": "24", ...node };
  return { name: "consumer", private: true, type: "module", dependencies, devDependencies };
}

/** The tsconfig.json of a project. */
export function compilerOptionsOf({ libraries, resolution }: Consumer) {
  const module = resolution === "bundler" ? "esnext" : resolution;
  return {
    compilerOptions: {
      target: "es2022",
      lib: ["es2023", "dom", "dom.iterable"],
      types: ["node"],
      module,
      moduleResolution: resolution,
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: libraries === "trusted",
      outDir: "out",
      rootDir: ".",
    },
    include: ["*.ts", "*.cts"],
  };
}
