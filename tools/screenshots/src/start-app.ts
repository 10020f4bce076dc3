import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { freePort } from "./free-port.ts";

const program = fileURLToPath(new URL("../../../apps/reference/dist/main.js", import.meta.url));

/** The running reference app, with its demo data. Disposing of it stops the app. */
export interface DemoApp extends AsyncDisposable {
  /** The origin where people sign in and approve devices. */
  readonly origin: string;
  /** The URL of the API. */
  readonly publicUrl: string;
  /** The recovery code of the demo user. */
  readonly recoveryCode: string;
  /** Sends an OAuth request of the demo's agent, and returns a function that reads a field of the response. */
  callOauth(endpoint: string, fields: Readonly<Record<string, string>>): Promise<(name: string) => string>;
}

/** Starts the built app on free ports, with a data directory that the caller removes. */
export async function startApp(dataDir: string): Promise<DemoApp> {
  // The API must know the accounts origin before it listens, to allow the calls of the console.
  const ports = { PORT: "0", INTERNAL_PORT: "0", ACCOUNTS_PORT: String(await freePort()) };
  const child = spawn(process.execPath, ["--disable-sigusr1", program], {
    env: { ...process.env, DATA_DIR: dataDir, LOG_LEVEL: "warn", ...ports },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  let printed = "";
  for await (const line of createInterface({ input: child.stdout })) {
    printed += `${line}\n`;
    if (line.includes("Ctrl+C")) break;
  }
  const urlOf = (listener: string) => {
    const [, url] = new RegExp(`^ {2}${listener} +(\\S+)`, "m").exec(printed) ?? [];
    if (url === undefined) throw new Error(`The app did not print the URL of ${listener}. Its output: ${printed}`);
    return url;
  };
  const origin = urlOf("accounts");
  return {
    origin,
    publicUrl: urlOf("public"),
    recoveryCode: readFileSync(join(dataDir, "demo", "recovery-code.txt"), "utf8"),
    async callOauth(endpoint, fields) {
      const body = new URLSearchParams({ client_id: "demo-agent", ...fields });
      const response = await fetch(`${origin}/oauth/${endpoint}`, { method: "POST", body });
      if (!response.ok) throw new Error(`/oauth/${endpoint} failed with ${response.status}: ${await response.text()}`);
      const answer = new Map(Object.entries(await response.json()));
      return (name) => String(answer.get(name));
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
