import { isatty } from "node:tty";
import { useLightResponses } from "@platform-rpc/accounts/http/site";
import { errorFields } from "@platform-rpc/front/errors";
import { type RunningApp, startPlatformApp } from "./app/app.js";
import { startLines } from "./app/start-lines.js";
import { openDescriptor } from "./process/descriptor.js";
import { createLineWriter } from "./process/line-writer.js";
import { createLog, createPrettyWriter } from "./process/log.js";
import { onStopSignals } from "./process/stop-signals.js";
import { sharesHostName, sharesLocalhost } from "./settings/listener-url.js";
import { readSettings, type Settings } from "./settings/settings.js";
import { explainStartError } from "./start-error.js";
import { ReplacedDatabaseError } from "./witness/database-watch.js";
import type { Witness } from "./witness/witness-file.js";

const standardOutput = createLineWriter(openDescriptor(1));
const standardError = createLineWriter(openDescriptor(2));
process.on("exit", () => {
  standardOutput.flushAtExit();
  standardError.flushAtExit();
});

/** Runs the platform until a signal stops the process. */
async function serve(): Promise<void> {
  useLightResponses();
  const read = readSettings(process.env);
  const terminal = isatty(2);
  const logOutput = terminal ? await createPrettyWriter(standardError) : standardError;
  // A person at a terminal needs only what is wrong.
  const settings: Settings = { ...read, logLevel: read.logLevel ?? (terminal ? "warn" : "info") };
  const log = createLog(settings.logLevel, logOutput);
  if (sharesHostName(settings)) {
    log.warn(
      "ACCOUNTS_URL and PUBLIC_URL have the same host name, so browsers send the cookies of the pages to the API, too. Use a different name for ACCOUNTS_URL. See docs/operate/install.md#behind-a-proxy",
    );
  }
  if (sharesLocalhost(settings)) {
    log.warn(
      "ACCOUNTS_URL has the host name localhost, so every program that listens there gets the cookies of the pages, and clients that wait for their answer at http://localhost are rejected. Remove ACCOUNTS_URL, or use the name accounts.localhost. See docs/accounts.md#addresses",
    );
  }
  const exitWith = (thrown: unknown, message: string): never => {
    log.fatal(errorFields(thrown), message);
    process.exit(1);
  };

  // The state after an unexpected error is unknown. Every acknowledged change is on disk, so exiting at once loses nothing;
  // continuing, even to stop gracefully, might write wrong data.
  for (const event of ["uncaughtException", "unhandledRejection"] as const) {
    process.on(event, (thrown: unknown) => exitWith(thrown, event));
  }

  /** Undefined while the platform starts, also while it waits for an operator to decide about a replaced database. */
  let running: RunningApp | undefined;
  /** The end of an app whose database is replaced. */
  let ending: Promise<void> | undefined;
  let stopping = false;
  const start = async (witness?: Witness): Promise<RunningApp> => {
    const app = await startPlatformApp(settings, { logger: log, logState: logOutput.state, witness });
    running = app;
    app.failed
      .then(async (error) => {
        if (!(error instanceof ReplacedDatabaseError)) return exitWith(error, error.message);
        if (stopping) return;
        running = undefined;
        ending = app.end();
        await ending;
        if (!stopping) await start(error.witness);
      })
      .catch((thrown: unknown) => exitWith(thrown, "the platform could not start again"));
    return app;
  };
  onStopSignals(process, {
    stop(signal) {
      log.info({ signal }, "stopping");
      stopping = true;
      const stopped = running?.stop() ?? ending ?? Promise.resolve();
      stopped.then(
        () => {
          log.info("stopped");
          process.exit(0);
        },
        (thrown: unknown) => exitWith(thrown, "stopping failed"),
      );
    },
    endNow: () => process.exit(1),
  });

  const app = await start();

  standardOutput.write(`${startLines(app).join("\n")}\n`);
}

/** Runs the command in the arguments, or `serve` if there is none. `serve` does not load the module of the commands. */
async function run(): Promise<void> {
  if (process.argv.length <= 2) return serve();
  const { createCommandLine } = await import("./commands/command-line.js");
  await createCommandLine({ environment: process.env, output: process.stdout, serve }).parseAsync(process.argv);
}

run().catch((thrown: unknown) => {
  standardError.write(`${explainStartError(thrown)}\n`);
  process.exit(1);
});
