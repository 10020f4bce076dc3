import { createHash, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  signInWithPasskey,
  signOut,
  signUp,
  storeRecoveryCode,
  waitForTitle,
} from "@platform-rpc/accounts/testing/browser-steps";
import { findViolations } from "@platform-rpc/accounts/testing/find-violations";
import { describe, expect, onTestFinished } from "vitest";
import * as z from "zod";
import { it } from "../testing/in-browser.js";

const clientId = "agent";
const allow = "Agent wants to use your vault";
const tokens = z.looseObject({ access_token: z.string(), refresh_token: z.string() });

/** Serves HTML for one test. Resolves with the port. */
async function serve(host: string, page: (url: string) => string): Promise<number> {
  const server = createServer(({ url = "" }, response) => {
    response.setHeader("Content-Type", "text/html").end(page(url));
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return port;
}

/** A program on this computer: it waits at a loopback address for the answer of the browser. */
async function startProgram(host: "127.0.0.1" | "[::1]" | "localhost") {
  const answers: URLSearchParams[] = [];
  const port = await serve(host === "[::1]" ? "::1" : "127.0.0.1", (url) => {
    const { pathname, searchParams } = new URL(url, "http://program");
    if (pathname === "/callback") answers.push(searchParams);
    return "<h1>Signed in</h1>";
  });
  const codeVerifier = randomBytes(32).toString("base64url");
  const redirectUri = `http://${host}:${port}/callback`;
  return {
    answers,
    /** Returns the URL that the program opens. */
    requestTo(origin: string, changes: Readonly<Record<string, string>> = {}) {
      const parameters = {
        response_type: "code",
        client_id: clientId,
        redirect_uri: redirectUri,
        code_challenge: createHash("sha256").update(codeVerifier).digest("base64url"),
        code_challenge_method: "S256",
        state: "s-1",
        scope: "vault.items:delete offline_access",
        ...changes,
      };
      return `${origin}/oauth/authorize?${new URLSearchParams(parameters)}`;
    },
    /** Redeems the code that came last. */
    async collect(issuer: string) {
      const form = {
        grant_type: "authorization_code",
        client_id: clientId,
        code: answers.at(-1)?.get("code") ?? "",
        redirect_uri: redirectUri,
        code_verifier: codeVerifier,
      };
      const response = await fetch(`${issuer}/oauth/token`, { method: "POST", body: new URLSearchParams(form) });
      return tokens.parse(await response.json());
    },
  };
}

describe("the review of an authorization request in Chromium", () => {
  it.for(["127.0.0.1", "[::1]", "localhost"] as const)(
    "leads from sign-up back to the request, and from the approval to the program at %s",
    async (host, { device: { origin, issuer }, page }) => {
      const program = await startProgram(host);
      await page.goto(program.requestTo(origin));
      await waitForTitle(page, "Sign in");
      await page.getByRole("link", { name: "Create an account" }).click();
      await page.getByLabel("Your name").fill("Ada");
      await page.getByRole("button", { name: "Create a passkey" }).click();
      await storeRecoveryCode(page, allow);
      await page.reload();
      await waitForTitle(page, allow);
      await page.getByRole("button", { name: "Approve" }).click();
      await waitForTitle(page, "Signed in");
      expect(Object.fromEntries(program.answers[0] ?? [])).toEqual({
        code: expect.stringMatching(/^pac_/),
        state: "s-1",
        iss: issuer,
      });
      expect(await program.collect(issuer)).toMatchObject({ scope: "vault.items:delete offline_access" });
    },
  );

  it("of a person who signed out in another tab leads to sign-in, and back", async ({ device: { origin }, page }) => {
    await signUp(page, origin);
    const program = await startProgram("127.0.0.1");
    const other = await page.context().newPage();
    await other.goto(`${origin}/console`);
    await page.goto(program.requestTo(origin));
    await waitForTitle(page, allow);
    await signOut(other);
    await waitForTitle(page, "Sign in");
    await signInWithPasskey(page, allow);
    await page.getByRole("button", { name: "Approve" }).click();
    await waitForTitle(page, "Signed in");
  });

  it("is opened by the link of another site, and is neither shown nor skipped with prompt=none, for a program on the computer", async ({
    device: { origin, issuer },
    page,
  }) => {
    await signUp(page, origin);
    const program = await startProgram("127.0.0.1");
    const scope = "identity.device_authorizations:exchange offline_access";
    const links = ["consent", "none"].map(
      (prompt) => `<a href="${program.requestTo(origin, { prompt, scope })}">Connect with ${prompt}</a>`,
    );
    const port = await serve("127.0.0.1", () => links.join(""));
    const connect = async (prompt: "consent" | "none") => {
      await page.goto(`http://127.0.0.1:${port}/`);
      await page.getByRole("link", { name: `Connect with ${prompt}` }).click();
    };
    await connect("consent");
    await waitForTitle(page, "Agent wants to act for you");
    await page.getByRole("button", { name: "Approve" }).click();
    await waitForTitle(page, "Signed in");
    await program.collect(issuer);
    await connect("none");
    await waitForTitle(page, "Signed in");
    expect(program.answers[1]?.get("error")).toBe("consent_required");
  });

  it("is shown again when the person goes back", async ({ device: { origin, issuer }, page }) => {
    await signUp(page, origin);
    const program = await startProgram("127.0.0.1");
    await page.goto(program.requestTo(origin));
    await page.getByRole("button", { name: "Approve" }).click();
    await waitForTitle(page, "Signed in");
    await program.collect(issuer);
    await page.goBack();
    await waitForTitle(page, allow);
    await page.getByRole("button", { name: "Deny" }).click();
    await waitForTitle(page, "Signed in");
    expect(program.answers[1]?.get("error")).toBe("access_denied");
  });

  it("that cannot be answered has no violation that axe finds", async ({ device: { origin }, page }) => {
    await signUp(page, origin);
    const program = await startProgram("127.0.0.1");
    await page.goto(program.requestTo(origin, { redirect_uri: "https://evil.example.net" }));
    await waitForTitle(page, "This request cannot be answered");
    expect(await findViolations(page)).toEqual([]);
  });
});
