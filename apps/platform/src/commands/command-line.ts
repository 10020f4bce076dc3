import type { Writable } from "node:stream";
import { Command, InvalidArgumentError } from "commander";
import { readSettings } from "../settings/settings.js";
import { tenantName, tenantRule } from "../settings/values.js";
import { backUp } from "./back-up.js";
import { beginEpoch, confirmDatabase } from "./begin-epoch.js";
import { CommandError, printLines } from "./command-output.js";
import { type ExportAuditOptions, exportAudit } from "./export-audit.js";
import { assignTenant, listCells } from "./list-cells.js";
import { type MigrateDataOptions, migrateData } from "./migrate-data.js";
import { migrateDatabase } from "./migrate-database.js";
import { cancelMove, giveUpTenant, type MoveTenantCommand, moveTenant, removeMovedTenant } from "./move-tenant.js";
import { restore } from "./restore.js";
import { trustClock } from "./running-platform.js";
import { type VerifyAuditOptions, verifyAudit } from "./verify-audit.js";

export interface CommandLineOptions {
  /** The settings, as environment variables. */
  readonly environment: NodeJS.ProcessEnv;
  readonly output: Writable;
  /** Runs if the arguments contain no command. */
  readonly serve: () => Promise<void>;
}

/** Creates the command line of the program. It ends the process when the arguments are wrong. */
export function createCommandLine({ environment, output, serve }: CommandLineOptions): Command {
  const run = async (command: Promise<readonly string[]>) => printLines(await command, output);
  /** Prints what a command has found, then fails if something is wrong: also if the lines cannot be written. */
  const runChecked = async (
    command: Promise<{ readonly lines: readonly string[]; readonly failure: string | undefined }>,
  ) => {
    const { lines, failure } = await command;
    await printLines(lines, output).finally(() => {
      if (failure !== undefined) throw new CommandError(failure);
    });
  };
  const program = new Command("platform")
    .description("Serves the platform. Settings are environment variables: see apps/platform/README.md.")
    .allowExcessArguments()
    .action((_: object, { args: [unknown] }: Command) => {
      if (unknown === undefined) return serve();
      return program.error(`error: unknown command '${unknown}'. Run with --help for the list of commands.`);
    });
  program
    .command("backup")
    .description("Backs up the database to a new file. The platform may be running.")
    .argument("<file>", "path of the backup; must not exist")
    .action((file: string) => run(backUp(readSettings(environment), file)));
  program
    .command("restore")
    .description("Replaces the database with a backup. The platform must not be running.")
    .argument("<file>", "path of the backup")
    .option(
      "--gap <sequences>",
      "number of sequences to skip in each vault; needed only when a restore reports that too few are left",
      parseGap,
    )
    .action((file: string, options: { gap?: number }) => run(restore(readSettings(environment), file, options)));
  program
    .command("begin-epoch")
    .description(
      "Prepares a PostgreSQL database that was restored to an earlier point. The platform must not be running.",
    )
    .option(
      "--gap <sequences>",
      "number of sequences to skip in each vault; needed only when too few are left",
      parseGap,
    )
    .action((options: { gap?: number }) => run(beginEpoch(readSettings(environment), options)));
  program
    .command("confirm-database")
    .description(
      "Confirms a PostgreSQL database that is another one than before, and has every change. The platform may be running.",
    )
    .action(() => run(confirmDatabase(readSettings(environment))));
  program
    .command("migrate-data")
    .description("Copies a SQLite database to an empty PostgreSQL database. The platform must not be running.")
    .option("--from <database>", "source, such as sqlite:/var/lib/platform/platform.sqlite (default: that of DATA_DIR)")
    .option("--to <url>", "target, such as postgres://user@host/platform (default: DATABASE_URL)", parsePostgresUrl)
    .action((options: MigrateDataOptions) => run(migrateData(readSettings(environment), options)));
  program
    .command("migrate-database")
    .description(
      "Creates or migrates the tables of PostgreSQL, as the role that owns the database. The platform may be running.",
    )
    .action(() => run(migrateDatabase(readSettings(environment))));
  program
    .command("assign-tenant")
    .description(
      "Assigns a tenant to the cell of DATABASE_URL, which serves only assigned tenants. The platform may be running.",
    )
    .argument("<tenant>", "id of the tenant; no other cell may serve it", parseTenant)
    .action((tenant: string) => run(assignTenant(readSettings(environment), tenant)));
  program
    .command("cells")
    .description(
      "Lists cells and their tenants, and fails if two cells serve the same tenant. The platform may be running.",
    )
    .argument(
      "<file>",
      'JSON with the URL of the database of each cell, such as {"a": "postgres://owner@a.internal/platform"}',
    )
    .action((file: string) => runChecked(listCells(file)));
  program
    .command("move-tenant")
    .description(
      "Moves a tenant to another cell while it is served, or from SQLite to a cell. Start it again if it was interrupted: it continues.",
    )
    .argument("<tenant>", "id of the tenant", parseTenant)
    .requiredOption("--cells <file>", "JSON with the URL of the database of each cell: see the command cells")
    .requiredOption(
      "--from <cell>",
      "name of the cell that serves the tenant; or its SQLite database, which nothing may use, such as sqlite:/var/lib/platform/platform.sqlite",
    )
    .requiredOption("--to <cell>", "name of the cell that is to serve it")
    .option("--router <socket>", "socket of the runtime API of HAProxy, such as /run/haproxy/admin.sock")
    .option("--map <file>", "map of HAProxy with the cell of each tenant", "/etc/haproxy/tenants.map")
    .action((tenant: string, options: MoveTenantCommand) =>
      moveTenant(tenant, options, {
        readSettings: () => readSettings(environment),
        report: (line) => printLines([line], output),
        signals: process,
      }),
    );
  program
    .command("cancel-move")
    .description("Gives up a move between cells that was interrupted: the old cell serves the tenant, with its writes.")
    .argument("<tenant>", "id of the tenant", parseTenant)
    .requiredOption("--cells <file>", "JSON with the URL of the database of each cell: see the command cells")
    .requiredOption("--from <cell>", "name of the cell that serves the tenant")
    .requiredOption("--to <cell>", "name of the cell that was to get it")
    .action((tenant: string, options: Pick<MoveTenantCommand, "cells" | "from" | "to">) =>
      run(cancelMove(tenant, options)),
    );
  program
    .command("give-up-tenant")
    .description(
      "Lets one of two cells that serve the same tenant give it up, such as one that was restored to a point before the tenant left. Nothing is copied.",
    )
    .argument("<tenant>", "id of the tenant", parseTenant)
    .requiredOption("--cells <file>", "JSON with the URL of the database of each cell: see the command cells")
    .requiredOption("--from <cell>", "name of the cell that gives it up")
    .requiredOption("--to <cell>", "name of the cell that serves it on")
    .action((tenant: string, options: Pick<MoveTenantCommand, "cells" | "from" | "to">) =>
      run(giveUpTenant(tenant, options)),
    );
  program
    .command("remove-moved-tenant")
    .description("Removes what a tenant that was moved has left behind in its old cell.")
    .argument("<tenant>", "id of the tenant", parseTenant)
    .requiredOption("--cells <file>", "JSON with the URL of the database of each cell: see the command cells")
    .requiredOption("--from <cell>", "name of the cell that the tenant has left")
    .action((tenant: string, options: Pick<MoveTenantCommand, "cells" | "from">) =>
      run(removeMovedTenant(tenant, options)),
    );
  program
    .command("trust-clock")
    .description(
      "Confirms to the running platform that the clock of this machine is right. Shredding, purging and key rotation resume.",
    )
    .action(() => run(trustClock(readSettings(environment))));
  program
    .command("verify-audit")
    .description(
      "Verifies that no record of the audit trail was changed, removed or added. The platform may be running.",
    )
    .option("--file <export>", "verify an export instead of the database")
    .option(
      "--head <digest>",
      "head that an earlier verification or the log has reported; may be repeated",
      (digest, heads: readonly string[] = []) => [...heads, parseDigest(digest)],
    )
    .action((options: VerifyAuditOptions) => runChecked(verifyAudit(readSettings(environment), options)));
  program
    .command("export-audit")
    .description(
      "Exports the audit trail as lines of JSON, with what is needed to verify them. The platform may be running.",
    )
    .argument("[file]", "path of the export; must not exist (default: standard output)")
    .option("--tenant <id>", "only records of data of this tenant")
    .option("--from <time>", "only records from this time on, such as 2026-11-01 or 2026-11-01T12:00:00Z", parseTime)
    .option("--to <time>", "only records before this time", parseTime)
    .action(async (file: string | undefined, options: ExportAuditOptions) => {
      const lines = await exportAudit(readSettings(environment), file ?? output, options);
      if (lines.length > 0) await printLines(lines, output);
    });
  return program;
}

function parseGap(text: string): number {
  const gap = /^[0-9]{1,10}$/.test(text) ? Number(text) : 0;
  if (gap < 1) throw new InvalidArgumentError("Must be a whole number of at least 1.");
  return gap;
}

function parseDigest(text: string): string {
  if (!/^[0-9a-f]{64}$/.test(text)) throw new InvalidArgumentError("Must be 64 hexadecimal digits.");
  return text;
}

function parseTime(text: string): number {
  const time = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z)?$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw new InvalidArgumentError("Must be a date, or a time in UTC that ends with Z.");
  return time;
}

function parseTenant(text: string): string {
  if (!tenantName.safeParse(text).success) throw new InvalidArgumentError(`It ${tenantRule}.`);
  return text;
}

function parsePostgresUrl(text: string): string {
  const url = URL.parse(text);
  const valid = url !== null && /^postgres(?:ql)?:$/.test(url.protocol) && url.pathname.length > 1;
  if (!valid) throw new InvalidArgumentError("Must be postgres:// with a host and a database.");
  return text;
}
