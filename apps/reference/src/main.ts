import { startReferenceApp } from "./app.js";
import { errorFields } from "./error-fields.js";
import { createLog } from "./log.js";
import { readSettings } from "./settings.js";
import { explainStartFailure } from "./start-failure.js";

async function main(): Promise<void> {
  const settings = readSettings(process.env);
  const log = createLog(settings.logLevel);

  // Nobody knows what state an unexpected error leaves. Every answered change is on the disk already, so that ending at
  // once loses nothing, whereas going on, even to close tidily, might write what is wrong.
  for (const event of ["uncaughtException", "unhandledRejection"] as const) {
    process.on(event, (thrown: unknown) => {
      log.fatal(errorFields(thrown), event);
      process.exit(1);
    });
  }

  const app = await startReferenceApp(settings, { logger: log });
  const lines = [
    "The platform is running.",
    `  public    ${app.publicUrl}`,
    `  internal  ${app.internalUrl} (token: ${app.adminTokenFile})`,
    `  data      ${settings.dataDir}`,
    ...(app.curlLines.length === 0 ? [] : ["", "Paste a line into another shell, as often as you like:", ""]),
    ...app.curlLines.flatMap((line) => [line, ""]),
    "Stop it with Ctrl+C.",
  ];
  process.stdout.write(`${lines.join("\n")}\n`);

  let stopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) process.exit(1);
    stopping = true;
    log.info({ signal }, "stopping");
    app.stop().then(
      () => {
        log.info("stopped");
        process.exit(0);
      },
      (thrown: unknown) => {
        log.fatal(errorFields(thrown), "stopping failed");
        process.exit(1);
      },
    );
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
}

main().catch((thrown: unknown) => {
  process.stderr.write(`${explainStartFailure(thrown)}\n`);
  process.exit(1);
});
