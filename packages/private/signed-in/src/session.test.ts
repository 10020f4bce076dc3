import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { hostname, platform, tmpdir } from "node:os";
import { join } from "node:path";
import { createMemorySessionStore } from "@platform-rpc/client/session";
import { expect, it, onTestFinished, vi } from "vitest";
import { ProgramError } from "./errors.js";
import { createSession, openSession } from "./session.js";
import { openSessionStore } from "./session-store.js";

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

/** A token of a person. It is not verified here. */
function tokenOf(sub: string, tenantId: string): string {
  const claims = { sub, tenant_id: tenantId, client_id: "program", scope: "", exp: 0 };
  return `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.x`;
}

it.each([
  ["the same person keeps the login and the keys of vaults", "ada", "acme", ["session.json", "unlocked.json"]],
  ["another account ends the login, and removes the keys of vaults", "eve", "acme", []],
  ["another tenant does, too", "ada", "other", []],
])("a renewal for %s", async (_, sub, tenantId, left) => {
  const folder = await mkdtemp(join(tmpdir(), "program-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "unlocked.json"), "{}", { mode: 0o600 });
  const keyPair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]);
  const expiresAt = new Date(0).toISOString();
  const login = { issuer, resource, clientId: "program", scopes: [], refreshToken: "refresh-1", keyPair, expiresAt };
  await openSessionStore(join(folder, "session.json")).save({ ...login, accessToken: tokenOf("ada", "acme") });
  const tokens = { access_token: tokenOf(sub, tenantId), token_type: "DPoP", expires_in: 900 };
  const fetch = async (_: unknown, init?: RequestInit) =>
    Response.json(init?.method === "POST" ? tokens : { issuer, token_endpoint: `${issuer}/token` });
  const store = openSessionStore(join(folder, "session.json"));
  const renewed = createSession({ issuer, resource, clientId: "program", store, fetch }).token();
  if (left.length > 0) await renewed;
  else await expect(renewed).rejects.toThrow("has renewed it for another account");
  expect((await readdir(folder)).toSorted()).toEqual(left);
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
    `A session of ${resource} at http://accounts.example is not possible: createDeviceSession: issuer must be an https URL`,
  );
  expect(open({ resource: "http://api.example" })).toThrow("resource must be an https URL");
});
