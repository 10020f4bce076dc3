const { globSync, readFileSync } = require("node:fs");
const { availableParallelism } = require("node:os");
const { LongestFirst } = require("./tools/check/src/longest-first.ts");

// The timeouts end a test that hangs. They are long, so that no test fails on a slow or busy machine.
const timeout = 180_000;

// Test files share the workers, so that a worker imports a module once, not once for each file. A file gets its own worker if it
// would affect other files, or they would affect it: it mocks modules, uses a package that replaces globals, measures its process,
// counts timers, or runs other test files.
const needsOwnWorker = new RegExp(
  [
    /\bvi\.(?:doMock|mock|resetModules)\(|"@hono\/node-server"/,
    /\bprocess\.(?:cpuUsage|getActiveResourcesInfo|memoryUsage)\(|\bvi\.getTimerCount\(/,
    /\bimport[( ]"\S+\.test\.js"/,
  ]
    .map(({ source }) => source)
    .join("|"),
);
const withOwnWorker = globSync("{packages,apps,tools}/*/{src,test}/**/*.test.ts", { cwd: __dirname }).filter((file) =>
  needsOwnWorker.test(readFileSync(`${__dirname}/${file}`, "utf8")),
);

// The tests that need PostgreSQL, on one server. Those of the app that need a storage run on both engines.
const withPostgres = globSync(
  ["packages/server/src/storage/postgres/**/*.test.ts", "apps/reference/src/**/*-on-postgres.test.ts"],
  { cwd: __dirname },
);
const onBothEngines = globSync("apps/reference/src/**/*.test.ts", { cwd: __dirname }).filter((file) =>
  /\b(?:startTestApp|startMemberApp|startOAuthApp|populatedApp|inMemoryPlatform|hostPlatform|createAccountsSite|startCodeSite|testDatabase)\b/.test(
    readFileSync(`${__dirname}/${file}`, "utf8"),
  ),
);

module.exports = {
  test: {
    projects: [
      { extends: true, test: { name: "isolated", include: withOwnWorker } },
      {
        extends: true,
        test: {
          name: "postgres",
          isolate: false,
          include: [...withPostgres, ...onBothEngines],
          globalSetup: "packages/server/src/storage/postgres/testing/shared-server.ts",
          setupFiles: "tools/check/src/shared-worker.ts",
        },
      },
      {
        extends: true,
        test: {
          name: "shared",
          isolate: false,
          exclude: [...withOwnWorker, ...withPostgres],
          setupFiles: "tools/check/src/shared-worker.ts",
        },
      },
    ],
    sequence: { sequencer: LongestFirst },
    // One more than there are cores, because the tests of connections and processes mostly wait.
    maxWorkers: availableParallelism() + 1,
    // The files of docs/extending.md are tested in a copy of this workspace.
    exclude: ["**/node_modules/**", "**/.git/**", "**/dist/**", "docs/extending/**"],
    testTimeout: timeout,
    hookTimeout: timeout,
    teardownTimeout: timeout,
    expect: { poll: { timeout: timeout / 3 } },
    allowOnly: false,
    globalSetup: "tools/check/src/temporary-folders.ts",
  },
};
