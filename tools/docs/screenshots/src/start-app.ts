import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startApp as startBuiltApp } from "@platform-rpc/testbed/app";
import { freePort } from "@platform-rpc/testbed/network";

/** The running platform app, with its demo data. Disposing of it stops the app. */
export interface DemoApp extends AsyncDisposable {
  /** The origin where people sign in and approve devices. */
  readonly origin: string;
  readonly publicUrl: string;
  readonly recoveryCode: string;
  /** Sends an OAuth request of the demo's agent, and returns a function that reads a field of the response. */
  callOauth(endpoint: string, fields: Readonly<Record<string, string>>): Promise<(name: string) => string>;
}

/** Starts the built app on free ports, with a data directory that the caller removes. */
export async function startApp(dataDir: string): Promise<DemoApp> {
  // The API must know the accounts origin before it listens, to allow the calls of the console.
  const settings = { DATA_DIR: dataDir, LOG_LEVEL: "warn", ACCOUNTS_PORT: String(await freePort()) };
  const app = await startBuiltApp(settings, { stderr: "inherit" });
  const { pagesUrl: origin, accountsUrl, publicUrl } = app;
  return {
    origin,
    publicUrl,
    recoveryCode: readFileSync(join(dataDir, "demo", "recovery-code.txt"), "utf8"),
    async callOauth(endpoint, fields) {
      const body = new URLSearchParams({ client_id: "demo-agent", ...fields });
      const response = await fetch(`${accountsUrl}/oauth/${endpoint}`, { method: "POST", body });
      if (!response.ok) throw new Error(`/oauth/${endpoint} failed with ${response.status}: ${await response.text()}`);
      const answer = new Map(Object.entries(await response.json()));
      return (name) => String(answer.get(name));
    },
    async [Symbol.asyncDispose]() {
      await app.stop();
    },
  };
}
