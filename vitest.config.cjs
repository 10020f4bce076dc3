const { availableParallelism } = require("node:os");
const { reportRun } = require("./tools/testbed/src/vitest/report-run.ts");

// The timeouts end a test that hangs. They are long, so that no test fails on a slow or busy machine.
const timeout = 180_000;

// Test files share the workers, so that a worker imports a module once, not once for each file. A file gets its own worker if it
// would affect other files, or they would affect it: it mocks modules, uses a package that replaces globals, measures its process,
// counts timers, or runs other test files.
const isolated = ["**/*.isolated.test.ts"];

// The tests that need PostgreSQL, on one server.
const onPostgres = ["packages/server/{src,test}/storage/postgres/**/*.test.ts", "**/*-on-postgres.test.ts"];

// The tests of the app that need a storage run on both engines.
const onBothEngines = ["**/*.engines.test.ts"];

// The example of a test of an own storage. own-storage.test.ts imports it, and runs it in memory.
const imported = ["packages/server/examples/own-storage.test.ts"];

module.exports = {
  test: {
    projects: [
      { extends: true, test: { name: "isolated", include: isolated } },
      {
        extends: true,
        test: {
          name: "postgres",
          isolate: false,
          include: [...onPostgres, ...onBothEngines],
          globalSetup: "packages/server/src/storage/postgres/testing/shared-server.ts",
          setupFiles: "tools/testbed/src/vitest/shared-worker.ts",
        },
      },
      {
        extends: true,
        test: {
          name: "shared",
          isolate: false,
          exclude: [...isolated, ...onPostgres, ...imported],
          setupFiles: "tools/testbed/src/vitest/shared-worker.ts",
        },
      },
    ],
    // Two more than there are cores, because the tests of connections, processes and browsers mostly wait.
    maxWorkers: availableParallelism() + 2,
    exclude: ["**/node_modules/**", "**/.git/**", "**/dist/**"],
    testTimeout: timeout,
    hookTimeout: timeout,
    teardownTimeout: timeout,
    expect: { poll: { timeout: timeout / 3 } },
    allowOnly: false,
    reporters: ["default", ["json", { outputFile: "node_modules/.vitest/report.json" }], reportRun],
    globalSetup: "tools/testbed/src/vitest/temporary-folders.ts",
  },
};
