import { createHash, randomBytes } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import {
  openPersonPage,
  type RunningBrowser,
  startChromium,
  withoutChromium,
} from "@platform-rpc/accounts/testing/browser";
import {
  signInWithPasskey,
  signOut,
  signUp,
  storeRecoveryCode,
  waitForTitle,
} from "@platform-rpc/accounts/testing/browser-steps";
import { findViolations, isInWindow } from "@platform-rpc/accounts/testing/find-violations";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { startDeviceSite } from "../testing/device-site.js";

const clientId = "agent";
const allow = "Agent wants to use your vault";
const tokens = z.looseObject({ access_token: z.string(), refresh_token: z.string() });

/** A program on this computer: it waits at a loopback address for the answer of the browser. */
async function startProgram(host: "127.0.0.1" | "[::1]" | "localhost") {
  const answers: URLSearchParams[] = [];
  const server: Server = createServer(({ url = "" }, response) => {
    const { pathname, searchParams } = new URL(url, "http://program");
    if (pathname === "/callback") answers.push(searchParams);
    response.setHeader("Content-Type", "text/html").end("<h1>Signed in</h1>");
  });
  await new Promise<void>((resolve) => server.listen(0, host === "[::1]" ? "::1" : "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
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
    async collect(origin: string) {
      const form = {
        grant_type: "authorization_code",
        client_id: clientId,
        code: answers.at(-1)?.get("code") ?? "",
        redirect_uri: redirectUri,
        code_verifier: codeVerifier,
      };
      const response = await fetch(`${origin}/oauth/token`, { method: "POST", body: new URLSearchParams(form) });
      return tokens.parse(await response.json());
    },
  };
}

describe.skipIf(withoutChromium)("the review of an authorization request in Chromium", () => {
  const started = new AsyncDisposableStack();
  let browser: RunningBrowser;
  let origin: string;
  beforeAll(async () => {
    ({ origin } = await startDeviceSite({ atEnd: (end) => started.defer(end) }));
    browser = started.use(await startChromium());
  });
  afterAll(() => started.disposeAsync());

  it.each(["127.0.0.1", "[::1]", "localhost"] as const)(
    "leads from sign-up back to the request, and from the approval to the program at %s",
    async (host) => {
      await using person = await openPersonPage(browser);
      const { page, problems } = person;
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
        iss: origin,
      });
      expect(await program.collect(origin)).toMatchObject({ scope: "vault.items:delete offline_access" });
      expect(problems).toEqual([]);
    },
  );

  it("works with the keyboard alone, and a denial leads back to the program", async () => {
    await using person = await openPersonPage(browser);
    const { page, problems } = person;
    await signUp(page, origin);
    const program = await startProgram("127.0.0.1");
    await page.goto(program.requestTo(origin));
    await waitForTitle(page, allow);
    const reached: (string | null)[] = [];
    while (!reached.includes("Approve") && reached.length < 30) {
      await page.keyboard.press("Tab");
      const focused = () => document.activeElement?.textContent?.trim() || document.activeElement?.id;
      reached.push((await page.evaluate(focused)) ?? null);
    }
    const stops = reached.filter((stop, index) => stop !== reached[index - 1]);
    expect(stops.slice(-7)).toEqual(["scope-0", "vault-0", "deletions", "until", "Details", "Deny", "Approve"]);
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Enter");
    await waitForTitle(page, "Signed in");
    expect(program.answers[0]?.get("error")).toBe("access_denied");
    expect(problems).toEqual([]);
  });

  it("of a person who signed out in another tab leads to sign-in, and back", async () => {
    await using person = await openPersonPage(browser);
    const { page } = person;
    await signUp(page, origin);
    const program = await startProgram("127.0.0.1");
    const other = await page.context().newPage();
    await other.goto(`${origin}/account`);
    await page.goto(program.requestTo(origin));
    await waitForTitle(page, allow);
    await signOut(other);
    await waitForTitle(page, "Sign in");
    await signInWithPasskey(page, allow);
    await page.getByRole("button", { name: "Approve" }).click();
    await waitForTitle(page, "Signed in");
  });

  it("is opened by the link of another site, and is not shown with prompt=none while the approval lives", async () => {
    await using person = await openPersonPage(browser);
    const { page, problems } = person;
    await signUp(page, origin);
    const program = await startProgram("127.0.0.1");
    const site = createServer((_, response) => {
      const scope = "identity.device_authorizations:exchange offline_access";
      const links = ["consent", "none"].map(
        (prompt) => `<a href="${program.requestTo(origin, { prompt, scope })}">Connect with ${prompt}</a>`,
      );
      response.setHeader("Content-Type", "text/html").end(links.join(""));
    });
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void site.close());
    const { port } = site.address() as AddressInfo;
    const connect = async (prompt: "consent" | "none") => {
      await page.goto(`http://127.0.0.1:${port}/`);
      await page.getByRole("link", { name: `Connect with ${prompt}` }).click();
    };
    await connect("consent");
    await waitForTitle(page, "Agent wants to act for you");
    await page.getByRole("button", { name: "Approve" }).click();
    await waitForTitle(page, "Signed in");
    await program.collect(origin);
    await connect("none");
    await waitForTitle(page, "Signed in");
    expect(program.answers[1]?.get("code")).toMatch(/^pac_/);
    await page.goto(`${origin}/account`);
    await page.getByRole("button", { name: /^End access of Agent/ }).click();
    await page.getByText("None. Software that you approve").waitFor();
    await connect("none");
    await waitForTitle(page, "Signed in");
    expect(program.answers[2]?.get("error")).toBe("consent_required");
    expect(problems).toEqual([]);
  });

  it("is shown again when the person goes back", async () => {
    await using person = await openPersonPage(browser);
    const { page } = person;
    await signUp(page, origin);
    const program = await startProgram("127.0.0.1");
    await page.goto(program.requestTo(origin));
    await page.getByRole("button", { name: "Approve" }).click();
    await waitForTitle(page, "Signed in");
    await program.collect(origin);
    await page.goBack();
    await waitForTitle(page, allow);
    await page.getByRole("button", { name: "Deny" }).click();
    await waitForTitle(page, "Signed in");
    expect(program.answers[1]?.get("error")).toBe("access_denied");
  });

  it("has no violation that axe finds, in both schemes, and at 320 px; at 390 px both buttons are in the window", async () => {
    await using person = await openPersonPage(browser);
    const { page, problems } = person;
    await signUp(page, origin);
    const program = await startProgram("127.0.0.1");
    await page.goto(program.requestTo(origin));
    await waitForTitle(page, allow);
    const found = await findViolations(page);
    for (const checkbox of await page.getByRole("checkbox").all()) await checkbox.uncheck();
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByRole("alert").waitFor();
    found.push(...(await findViolations(page)));
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole("checkbox").first().check();
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByText("Choose at least one vault").waitFor();
    for (const name of ["Deny", "Approve"]) {
      await expect.poll(() => isInWindow(page.getByRole("button", { name })), { message: name }).toBe(true);
    }
    await expect.poll(() => isInWindow(page.locator("#vault-0"))).toBe(true);
    found.push(...(await findViolations(page)));
    await page.goto(program.requestTo(origin, { redirect_uri: "https://evil.example.net" }));
    await waitForTitle(page, "This request cannot be answered");
    found.push(...(await findViolations(page)));
    expect(found).toEqual([]);
    expect(problems).toEqual([]);
  });
});
