import type { Consumer } from "./consumers.ts";

/** The npm package with Node binaries for this machine. */
export const nodePackage = `node-${process.platform}-${process.arch}`;

/** Returns the major version of the Node that a project installs; undefined when it installs none. */
export function nodeMajorOf({ runs }: Pick<Consumer, "runs">): string | undefined {
  return /^node (\d+)$/.exec(runs)?.[1];
}

/** Returns the package.json of a project. */
export function manifestOf(consumer: Consumer) {
  const { ours, tag, installs, typescript } = consumer;
  const dependencies = { ...installs, ...Object.fromEntries(ours.map((name) => [name, tag])) };
  const major = nodeMajorOf(consumer);
  const node = major === undefined ? {} : { [nodePackage]: major };
  const devDependencies = { typescript, "@types/node": "24", ...node };
  return { name: "consumer", private: true, type: "module", dependencies, devDependencies };
}

/** Returns the tsconfig.json of a project. */
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
