import type { ElicitRequest, ElicitResult } from "@modelcontextprotocol/client";
import { Client, type ClientOptions, InMemoryTransport } from "@modelcontextprotocol/client";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { ProgramLoginOptions, UnlockedVaults } from "@platform-rpc/signed-in";
import { expect, onTestFinished } from "vitest";
import type { Broker } from "../broker/broker.js";
import { createLocalCaller } from "../sign-in/local-caller.js";
import { createLogin } from "../sign-in/login.js";
import { type Caller, createMcpServerFactory } from "../tools/create-mcp-server.js";
import { createFakeVault } from "./fake-vault.js";

type Capability = NonNullable<NonNullable<ClientOptions["capabilities"]>["elicitation"]>;

/** The revisions of the protocol that the tests speak. */
export const revisions = ["legacy", "2026-07-28"] as const;
export type Revision = (typeof revisions)[number];

export interface StartOptions {
  readonly revision?: Revision;
  /** How the MCP client can ask its user. Undefined: not at all. */
  readonly elicitation?: Capability | undefined;
  readonly signedIn?: boolean;
  readonly vault?: ReturnType<typeof createFakeVault>;
  /** What the person has unlocked. Default: nothing. */
  readonly unlocked?: UnlockedVaults;
  /** Default: one that expects no request. */
  readonly broker?: Broker;
}

const unused = { send: () => expect.unreachable() };

/** Starts a server for a person with a vault, both in memory, and connects a scripted MCP client with it. */
export async function startServer(options: StartOptions = {}) {
  const { signedIn = true, vault = createFakeVault(), unlocked, broker = unused } = options;
  const person = createFakePerson(signedIn);
  const platform = {
    apiUrl: "https://api.example",
    session: person,
    login: createLogin(person.logIn),
    clients: vault.clients,
    unlocked: async () => unlocked,
    openBrokerSession: () => expect.unreachable(),
  };
  const wait = createDeferred();
  const caller = createLocalCaller({ connect: async () => platform, approvalWait: () => wait.promise, broker });
  return {
    ...(await connectClient(caller, options)),
    vault,
    person,
    /** Ends the time that a call waits for an approval. */
    endWait: () => wait.resolve(),
  };
}

/** Connects a scripted MCP client with a server of this caller. */
export async function connectClient(caller: Caller, options: Pick<StartOptions, "revision" | "elicitation"> = {}) {
  const { revision = "2026-07-28" } = options;
  const elicitation = "elicitation" in options ? options.elicitation : { form: {}, url: {} };
  const factory = createMcpServerFactory({ callerOf: () => caller, stateKey: new Uint8Array(32) });
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  const server = serveStdio(factory, { transport: serverSide });
  const client = new Client(
    { name: "scripted", version: "1.0.0" },
    {
      ...(elicitation && { capabilities: { elicitation } }),
      versionNegotiation: { mode: revision === "legacy" ? "legacy" : { pin: revision } },
    },
  );
  const asked: ElicitRequest["params"][] = [];
  const answers: ((params: ElicitRequest["params"]) => ElicitResult | Promise<ElicitResult>)[] = [];
  if (elicitation !== undefined) {
    client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push(params);
      return answers.shift()?.(params) ?? { action: "cancel" };
    });
  }
  await client.connect(clientSide);
  onTestFinished(async () => {
    await client.close();
    await server.close();
  });

  return {
    client,
    /** What the person was asked. */
    asked,
    /** Answers the next question. */
    answer: (next: (params: ElicitRequest["params"]) => ElicitResult | Promise<ElicitResult>) =>
      void answers.push(next),
    async call(name: string, args: Readonly<Record<string, unknown>>) {
      const { content, structuredContent, isError = false } = await client.callTool({ name, arguments: { ...args } });
      const [first] = content;
      return { isError, text: first?.type === "text" ? first.text : "", structuredContent };
    },
  };
}

const allScopes = ["vault.items:read", "vault.items:delete", "vault.items:restore", "vault.items:use"];

/** A person who approves a login, or does not. */
function createFakePerson(signedIn: boolean) {
  let scopes: readonly string[] | undefined = signedIn ? allScopes : undefined;
  const asked: (readonly string[])[] = [];
  let decided = createDeferred();
  const withheld: string[] = [];
  return {
    scopes: async () => scopes,
    logins: () => asked.length,
    /** The scopes that each login asked for. */
    asked,
    async logIn({ onPrompt, signal, scopes: wanted }: ProgramLoginOptions) {
      asked.push(wanted);
      decided = createDeferred();
      signal?.addEventListener("abort", () => decided.reject(new Error("canceled")));
      onPrompt({
        userCode: "WDJB-MJHT",
        verificationUri: "https://accounts.example/device",
        verificationUriComplete: "https://accounts.example/device?user_code=WDJB-MJHT",
        expiresAt: new Date(0),
      });
      await decided.promise;
      scopes = wanted.filter((scope) => !withheld.includes(scope));
    },
    approve: () => decided.resolve(),
    /** Scopes that the person does not allow. */
    withheld,
  };
}

export function createDeferred() {
  let resolve = () => {};
  let reject = (_: Error) => {};
  const promise = new Promise<void>((fulfil, fail) => {
    resolve = fulfil;
    reject = fail;
  });
  return { promise, resolve: () => resolve(), reject: (error: Error) => reject(error) };
}
