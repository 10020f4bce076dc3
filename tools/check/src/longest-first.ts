import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Test files that take several seconds, although most of them are short. */
export const longest = [
  "apps/reference/src/accounts/accessible-in-browser.test.ts",
  "apps/reference/src/accounts/accounts-in-browser.test.ts",
  "apps/reference/src/accounts/console/console-in-browser.test.ts",
  "apps/reference/src/accounts/device/device-in-browser.test.ts",
  "apps/reference/src/accounts/journey-in-browser.test.ts",
  "apps/reference/src/accounts/oauth/refresh.engines.test.ts",
  "apps/reference/src/accounts/oauth/stock-clients.engines.test.ts",
  "apps/reference/src/accounts/sign-in/sign-in.engines.test.ts",
  "apps/reference/src/api-docs/conformance.test.ts",
  "apps/reference/src/client-entries/device-login.engines.test.ts",
  "apps/reference/src/app/command-line-program.engines.test.ts",
  "apps/reference/src/commands/audit.test.ts",
  "apps/reference/src/commands/commands.test.ts",
  "apps/reference/src/process/log.test.ts",
  "apps/reference/src/app/lost-storage.test.ts",
  "apps/reference/src/main.test.ts",
  "apps/reference/src/listeners/http-threads.test.ts",
  "apps/reference/src/app/rolling-restart.test.ts",
  "apps/reference/src/tracing/tracing.test.ts",
  "packages/client/test/runtimes/client.test.ts",
  "packages/client/test/runtimes/fetch-handler.test.ts",
  "packages/mcp/src/program.test.ts",
  "packages/server/src/storage/postgres/connection-faults.test.ts",
  "packages/server/src/storage/postgres/create-postgres-storage.test.ts",
  "packages/server/src/storage/postgres/migrate.test.ts",
  "packages/server/src/storage/postgres/pgbouncer.test.ts",
  "packages/server/src/storage/postgres/rate-limiter.test.ts",
  "packages/server/src/storage/postgres/server-faults.test.ts",
  "packages/server/src/storage/sqlite/backup/back-up.test.ts",
  "packages/server/src/storage/sqlite/damage.test.ts",
  "packages/server/src/storage/sqlite/durability.test.ts",
  "packages/server/src/storage/sqlite/restore/epochs.model.test.ts",
  "packages/server/src/storage/sqlite/restore/killed-restore.test.ts",
  "packages/server/src/storage/sqlite/restore/restore.test.ts",
  "packages/server/src/storage/sqlite/thread/create-threaded-sqlite-storage.test.ts",
  "packages/server/src/wire/connection-bounds.test.ts",
  "packages/server/src/wire/over-tls.isolated.test.ts",
  "packages/server/test/power-cut/power-cut.test.ts",
  "tools/api-reference/src/examples.test.ts",
  "tools/contract/src/baseline/baseline.test.ts",
  "tools/contract/src/baseline/guard.test.ts",
  "tools/contract/src/baseline/next-version.test.ts",
  "tools/contract/src/generate/drift.test.ts",
  "tools/contract/src/main.test.ts",
  "tools/contract/src/render/openapi-tools.test.ts",
];

/**
 * Starts the longest files first, so that no worker still runs one when the others have finished. In a fresh clone vitest
 * knows no durations, and would start the largest files first.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    // A worker serves one project, so the files of a project stay together.
    const projects = [...new Set(sorted.map(({ project }) => project.name))];
    const rank = ({ project, moduleId }: TestSpecification) =>
      2 * projects.indexOf(project.name) + (longest.some((file) => moduleId.endsWith(`/${file}`)) ? 0 : 1);
    return sorted.toSorted((one, other) => rank(one) - rank(other));
  }
}
