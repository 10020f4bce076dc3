import { BaseSequencer, createVitest, type Reporter, type TestModule, type TestSpecification } from "vitest/node";
import type {} from "./worker.ts";

/** A test file, run with or without an active mutant. */
export interface TestRun {
  readonly path: string;
  /** The id of the active mutant. */
  readonly mutant?: number | undefined;
}

export interface TestResult extends TestRun {
  /** The first test that failed. */
  readonly failed: string | undefined;
  /** About how many milliseconds the file takes alone. Most of them are for importing modules. */
  readonly cost: number;
  /** The ids of the mutants that its tests have reached. */
  readonly reached: readonly number[];
}

export interface Tests {
  readonly paths: readonly string[];
  /** Runs test files one after the other, in one process. */
  run(runs: readonly TestRun[]): Promise<readonly TestResult[]>;
  close(): Promise<void>;
}

class InOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files;
  }
}

/** Starts vitest, which compiles each file once. @param compiled the files that contain mutants, by path. */
export async function startTests(
  root: string,
  include: string[],
  exclude: string[],
  compiled: ReadonlyMap<string, string>,
): Promise<Tests> {
  let ended: TestModule[] = [];
  const reporter: Reporter = { onTestModuleEnd: (module) => void ended.push(module) };
  const timeouts = { testTimeout: 20_000, hookTimeout: 20_000 };
  const order = {
    isolate: false,
    maxWorkers: 1,
    sequence: { sequencer: InOrder },
    reporters: [reporter],
    execArgv: ["--no-warnings"],
  };
  const setupFiles = `${import.meta.dirname}/worker.ts`;
  const vitest = await createVitest(
    // The cache on disk would keep the mutants of other runs.
    { root, config: false, watch: false, include, exclude, setupFiles, fsModuleCache: false, ...order, ...timeouts },
    {
      plugins: [
        {
          name: "mutants",
          enforce: "pre",
          load: (id) => compiled.get(id),
          transform: (code, id) => (mutantOf(id) === undefined ? code : `activateMutant(${mutantOf(id)}); ${code}`),
        },
      ],
    },
  );
  const specifications = await vitest.globTestSpecifications();
  return {
    paths: specifications.map(({ moduleId }) => moduleId),
    async run(runs) {
      ended = [];
      const project = vitest.getRootProject();
      // Each run is a module of its own, which imports the same modules.
      const ids = runs.map(({ path, mutant }) => (mutant === undefined ? path : `${path}?mutant=${mutant}`));
      await vitest.runTestSpecifications(ids.map((id) => project.createSpecification(id)));
      if (ended.length < runs.length) throw new Error(`The tests have stopped after ${ended.at(-1)?.moduleId}.`);
      return ended.map(toResult);
    },
    close: () => vitest.close(),
  };
}

function mutantOf(id: string): number | undefined {
  const digits = /\?mutant=(\d+)$/.exec(id)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function toResult(module: TestModule): TestResult {
  const { moduleId, project } = module;
  const graphs = Object.values(project.vite.environments).map(({ moduleGraph }) => moduleGraph);
  const imported = new Set(graphs.map((graph) => graph.getModuleById(moduleId)).filter((node) => node !== undefined));
  // A set also iterates over what is added meanwhile.
  for (const node of imported) for (const next of node.importedModules) imported.add(next);
  const [test] = module.children.allTests("failed");
  const failed = test?.fullName ?? module.errors()[0]?.message;
  return {
    path: moduleId.replace(/\?.*$/, ""),
    mutant: mutantOf(moduleId),
    failed: failed === undefined ? undefined : `${module.relativeModuleId.replace(/\?.*$/, "")}: ${failed}`,
    cost: module.diagnostic().duration + 5 * imported.size,
    reached: module.meta().reached ?? [],
  };
}
