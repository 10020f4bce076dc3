import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { type IncomingMessage, type ServerResponse, request as send } from "node:http";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { dropTestDatabase, testDatabase } from "@platform-rpc/accounts/testing/test-database";
import { adminOf } from "@platform-rpc/testbed/app";
import { freePort } from "@platform-rpc/testbed/network";
import { expect, onTestFinished } from "vitest";
import { runApp } from "../../../src/testing/program.js";
import { newTemporaryFolder } from "../../../src/testing/temporary-folder.js";
import { newBrokerSetUp, startServer } from "./broker-set-up.js";

/** The moments of a use: its call is on the way to the platform, the answer is on the way back, its request has arrived, it is answered. */
export const moments = ["counting", "counted", "arrived", "answered"] as const;
export type Moment = (typeof moments)[number];

export const victims = ["broker", "platform", "both"] as const;
export type Victim = (typeof victims)[number];

/** Kills a program at a moment. */
interface Kill {
  readonly moment: Moment;
  readonly victim: Victim;
  /** How many uses must reach the moment. */
  left: number;
  /** Resolves when the killed programs run again. */
  readonly over: PromiseWithResolvers<void>;
}

/** Starts the platform and a broker, as processes that can be killed. They end with the test. */
export async function newKillablePlatform() {
  const folder = await newTemporaryFolder();
  const DATABASE_URL = await testDatabase(folder.path);
  const [accountsPort, port, internalPort] = [await freePort(), await freePort(), await freePort()];
  const proxy = await startProxy(accountsPort, reach);
  const environment = {
    ...{ DATA_DIR: folder.path, DEMO: "on", RATE_LIMITS: "off", LOG_LEVEL: "silent" },
    ...(DATABASE_URL !== undefined && { DATABASE_URL }),
    ...{ ACCOUNTS_PORT: `${accountsPort}`, PORT: `${port}`, INTERNAL_PORT: `${internalPort}` },
    ACCOUNTS_URL: `http://accounts.localhost:${proxy.port}`,
  };
  const start = () => runApp(environment);
  let platform = await start();
  onTestFinished(async () => {
    await platform.stop("SIGKILL");
    await dropTestDatabase(folder.path);
    await folder.remove();
  });
  const adminTokenFile = join(folder.path, "admin.token");
  const adminToken = await readFile(adminTokenFile, "utf8");
  const admin = adminOf(platform.internalUrl, adminTokenFile);
  const setUp = await newBrokerSetUp({ ...platform, dataDir: folder.path, adminToken, admin });
  let broker = await setUp.startBroker();
  let kill: Kill | undefined;
  setUp.upstream.answer = (_, response) => void reach("arrived").then(() => response.end("done"));

  /** Called when a use has reached a moment. Resolves with false if that was when to kill: then it is killed, and runs again. */
  async function reach(moment: Moment): Promise<boolean> {
    if (kill?.moment !== moment) return true;
    kill.left -= 1;
    if (kill.left !== 0) return true;
    const { victim, over } = kill;
    kill = undefined;
    await killAndRestart(victim).then(over.resolve, over.reject);
    return false;
  }

  async function killAndRestart(victim: Victim): Promise<void> {
    if (victim !== "broker") platform.signal("SIGKILL");
    if (victim !== "platform") broker.child.kill("SIGKILL");
    if (victim !== "broker") {
      await platform.ended;
      platform = await start();
    }
    if (victim !== "platform") {
      await broker.ended;
      broker = await setUp.startBroker();
    }
  }

  return {
    ...setUp,
    /** Kills a program once so many uses have reached a moment. Returns a function that resolves with whether it was killed then. */
    killAt(moment: Moment, victim: Victim, left = 1) {
      const planned: Kill = { moment, victim, left, over: Promise.withResolvers<void>() };
      kill = planned;
      return async () => {
        if (kill !== planned) return planned.over.promise.then(() => true);
        kill = undefined;
        await killAndRestart(victim);
        return false;
      };
    },
    /** Sends a request as an agent. Resolves with undefined if the broker was killed meanwhile. */
    async ask(token: string, path?: string) {
      const answer = await setUp.send(token, { path }).catch(() => undefined);
      if (answer?.status === 200) await reach("answered");
      return answer;
    },
    /** Stops the broker as Ctrl+C does, and starts it again: then it reports the uses whose end it does not know. */
    async restartBroker() {
      broker.child.kill("SIGINT");
      await broker.ended;
      broker = await setUp.startBroker();
    },
  };
}

/** Starts a proxy in front of the accounts listener, which stays while the platform is killed, and sees each count of a use. */
async function startProxy(port: number, reach: (moment: "counting" | "counted") => Promise<boolean>) {
  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url: path = "", headers } = request;
    const isUse = path.endsWith("/UseItem");
    if (isUse && !(await reach("counting"))) throw new Error("killed");
    const sent = send({ host: "127.0.0.1", port, method, path, headers });
    request.pipe(sent);
    const [answer]: IncomingMessage[] = await once(sent, "response");
    if (answer === undefined) return expect.unreachable();
    if (isUse && answer.statusCode === 200 && !(await reach("counted"))) throw new Error("killed");
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    await pipeline(answer, response);
  }
  return {
    port: await startServer((request, response) => void forward(request, response).catch(() => response.destroy())),
  };
}
