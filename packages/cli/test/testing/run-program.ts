import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type RequestListener, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFileSessionStore } from "@platform-rpc/client/session-file";
import { expect, onTestFinished } from "vitest";
import { run } from "../../src/program.js";
import type { Terminal } from "../../src/terminal/terminal.js";

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "cli-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

/** Creates a terminal to which nothing is written and where nobody types, unless `parts` say so. */
function fakeTerminal(environment: Record<string, string>, parts: Partial<Terminal> = {}): Terminal {
  return {
    out: () => expect.unreachable(),
    err: () => expect.unreachable(),
    outBytes: () => expect.unreachable(),
    interactive: false,
    isOutTerminal: false,
    readInput: async () => expect.unreachable(),
    readLine: async () => expect.unreachable(),
    readHidden: undefined,
    main: "/nowhere/main.js",
    environment,
    signal: new AbortController().signal,
    sleep: async () => expect.unreachable(),
    ...parts,
  };
}

/** Runs the program in this process. Default: without a session, and without a command that sleeps. */
export async function platform(
  words: readonly string[],
  environment: Record<string, string> = {},
  parts: Partial<Terminal> = {},
  ofTeam = false,
) {
  const written = { out: "", err: "" };
  const writing = {
    out: (text: string) => {
      written.out += text;
    },
    err: (text: string) => {
      written.err += text;
    },
    outBytes: (bytes: Uint8Array) => {
      written.out += Buffer.from(bytes).toString();
    },
  };
  const variables = { PLATFORM_CONFIG_DIR: await temporaryFolder(), ...environment };
  const code = await run(fakeTerminal(variables, { ...writing, ...parts }), words, ofTeam);
  return { code, ...written };
}

/** Listens on a port. Default: a free one. Returns the server and its URL. */
export async function listen(listener: RequestListener, port = 0): Promise<{ server: Server; url: string }> {
  const server = createServer(listener).listen(port, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const address = server.address();
  return { server, url: `http://127.0.0.1:${typeof address === "object" ? address?.port : undefined}` };
}

/** Stores a session, as a login does. Returns the folder. */
export async function signedIn(
  issuer: string,
  {
    accessToken = "access-1",
    expiresAt = new Date(Date.now() + 900_000),
    scopes = ["vault.items:read"],
    apiUrl = issuer,
  } = {},
): Promise<string> {
  const folder = await temporaryFolder();
  const keyPair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]);
  await createFileSessionStore(join(folder, "session.json")).save({
    issuer,
    resource: apiUrl,
    clientId: "platform-cli",
    scopes,
    keyPair,
    accessToken,
    refreshToken: "refresh-1",
    expiresAt: expiresAt.toISOString(),
  });
  await writeFile(join(folder, "settings.json"), JSON.stringify({ apiUrl, issuer }));
  return folder;
}
