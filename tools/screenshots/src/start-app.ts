import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../../apps/reference/dist/main.js", import.meta.url));

/** The thumbprint of RFC 8037 appendix A.3. */
const exampleThumbprint = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k";

/** The running reference app, with its demo data. Disposing of it stops the app. */
export interface DemoApp extends AsyncDisposable {
  /** The origin where people sign in and approve devices. */
  readonly origin: string;
  /** Requests access as the demo's agent does, and returns the user code. */
  startDevice(): Promise<string>;
}

/** Starts the built app on free ports, with a data directory that the caller removes. */
export async function startApp(dataDir: string): Promise<DemoApp> {
  const child = spawn(process.execPath, ["--disable-sigusr1", program], {
    env: { ...process.env, DATA_DIR: dataDir, PORT: "0", INTERNAL_PORT: "0", ACCOUNTS_PORT: "0", LOG_LEVEL: "warn" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  let printed = "";
  for await (const line of createInterface({ input: child.stdout })) {
    printed += `${line}\n`;
    if (line.includes("Ctrl+C")) break;
  }
  const [, origin] = /^ {2}accounts +(\S+)/m.exec(printed) ?? [];
  if (origin === undefined)
    throw new Error(`The app did not print the URL of the accounts origin. Its output: ${printed}`);
  return {
    origin,
    async startDevice() {
      const body = new URLSearchParams({ client_id: "demo-agent", dpop_jkt: exampleThumbprint });
      const response = await fetch(`${origin}/oauth/device_authorization`, { method: "POST", body });
      const answer: unknown = await response.json();
      if (typeof answer === "object" && answer !== null && "user_code" in answer) return String(answer.user_code);
      throw new Error(`Requesting access failed with status ${response.status}: ${JSON.stringify(answer)}`);
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
