import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import { hostname, platform, tmpdir } from "node:os";
import { join } from "node:path";
import { createMemorySessionStore } from "@platform-rpc/client/session";
import { expect, it, onTestFinished } from "vitest";
import { ProgramError } from "./errors.js";
import { createSession, openSession, openSessionStore } from "./session.js";

const [issuer, resource] = ["https://accounts.example", "https://api.example"];

it("a damaged file is reported with its path", async () => {
  const folder = await mkdtemp(join(tmpdir(), "program-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, "session.json");
  await writeFile(path, "{", { mode: 0o600 });
  const session = openSession({ issuer, resource, clientId: "program", path });
  const error = new ProgramError(
    `The session cannot be read: ${path} is not a session file. Delete it, then log in again.`,
  );
  await expect(session.scopes()).rejects.toThrow(error);
});

it("a file that cannot be written is reported with its path", async () => {
  const folder = await mkdtemp(join(tmpdir(), "program-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "file");
  await writeFile(file, "");
  const path = join(file, "session.json");
  const session = {
    issuer,
    resource,
    clientId: "program",
    scopes: [],
    keyPair: await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]),
    accessToken: "access-1",
    refreshToken: "refresh-1",
    expiresAt: "2026-01-01T00:00:00Z",
  };
  await expect(openSessionStore(path).save(session)).rejects.toThrow(`The session cannot be saved in ${path}: E`);
});

it("names the device to the authorization server", async () => {
  const server = createServer((_, response) => response.writeHead(404).end()).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const session = createSession({
    issuer: `http://127.0.0.1:${port}`,
    resource,
    clientId: "program",
    store: createMemorySessionStore(),
  });
  const received = once(server, "request");
  await expect(session.logIn({ onPrompt() {} })).rejects.toThrow();
  const [request]: IncomingMessage[] = await received;
  const name = hostname()
    .replaceAll(/[^A-Za-z0-9._-]/g, "-")
    .slice(0, 60);
  expect(request?.headers["user-agent"]).toBe(`program/0.0.0 (${name}; ${platform()})`);
});

it("an issuer or an API without https is reported with its URL", () => {
  const open = (urls: object) => () =>
    openSession({ issuer, resource, clientId: "program", path: "/nowhere", ...urls });
  expect(open({ issuer: "http://accounts.example" })).toThrow(ProgramError);
  expect(open({ issuer: "http://accounts.example" })).toThrow(
    `A session of ${resource} at http://accounts.example is not possible: issuer must be an https URL`,
  );
  expect(open({ resource: "http://api.example" })).toThrow("resource must be an https URL");
});
