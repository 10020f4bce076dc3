import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { hostname, platform, tmpdir } from "node:os";
import { join } from "node:path";
import { createMemorySessionStore } from "@platform-rpc/client/session";
import { expect, it, onTestFinished, vi } from "vitest";
import { ProgramError } from "./errors.js";
import { createSession, openSession } from "./session.js";

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

it("names the device to the authorization server", async () => {
  const names: (string | null)[] = [];
  const fetch = async (_: unknown, init?: RequestInit) => {
    names.push(new Headers(init?.headers).get("user-agent"));
    return new Response(undefined, { status: 404 });
  };
  const session = createSession({ issuer, resource, clientId: "program", store: createMemorySessionStore(), fetch });
  await expect(session.logIn({ onPrompt() {} })).rejects.toThrow();
  const name = hostname()
    .replaceAll(/[^A-Za-z0-9._-]/g, "-")
    .slice(0, 60);
  expect(names[0]).toBe(`program/0.0.0 (${name}; ${platform()})`);
});

it("warns once that the clock is off, also when a program creates several sessions", async () => {
  const warn = vi.spyOn(console, "warn").mockReturnValue();
  onTestFinished(() => warn.mockRestore());
  const metadata = { issuer, device_authorization_endpoint: `${issuer}/device` };
  const headers = { Date: new Date(Date.now() + 600_000).toUTCString() };
  const fetch = async (_: unknown, init?: RequestInit) =>
    init?.method === "POST"
      ? Response.json({ error: "server_error" }, { status: 400, headers })
      : Response.json(metadata);
  for (const clientId of ["one", "two"]) {
    const session = createSession({ issuer, resource, clientId, store: createMemorySessionStore(), fetch });
    await expect(session.logIn({ onPrompt() {} })).rejects.toThrow();
  }
  expect(warn.mock.calls).toEqual([[expect.stringMatching(/^This machine's clock is \d+ s behind/)]]);
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
