import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished } from "vitest";
import { it } from "./testing/in-browser.js";

it.for([
  ["localhost", 0],
  ["127.0.0.1", 0],
  // The test finds a session and a passkey where there is one. SECURITY.md names this case.
  ["accounts.localhost", 1],
] as const)(
  "a program at another port of %s gets %i sessions and passkeys of a person, and no token",
  async ([host, count], { demo, newVault: page, person }) => {
    expect(await person.passkeyCount()).toBe(1);
    const cookies: string[] = [];
    const server = createServer(({ headers: { cookie = "" } }, response) => {
      cookies.push(cookie);
      response.setHeader("Content-Type", "text/html").end("<h1>Signed in</h1>");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    await page.goto(`http://${host}:${(server.address() as AddressInfo).port}/`);
    // A page that reloads itself gets the cookies that a link from another site does not send.
    await page.reload();
    expect(cookies.slice(-1).filter((cookie) => cookie.includes("__Host-session="))).toHaveLength(count);

    const outcomes = await page.evaluate(async () => {
      const challenge = new Uint8Array(32);
      const options = { challenge, extensions: { prf: { eval: { first: challenge } } }, timeout: 1000 };
      const use = (rpId: string) => navigator.credentials.get({ publicKey: { ...options, rpId } }).catch(() => null);
      return [(await use("accounts.localhost"))?.type, (await use("localhost"))?.type];
    });
    expect(outcomes.filter((type) => type === "public-key")).toHaveLength(count);
    for (const origin of [demo.origin, demo.issuer]) {
      const token = page.evaluate(
        (url) => fetch(url, { method: "POST", credentials: "include" }).catch(() => "refused"),
        `${origin}/account/api/token`,
      );
      expect(await token).toBe("refused");
    }
    person.takeProblems();
  },
);

it("the address of programs reads and sets no cookie", async ({ demo, newVault: page }) => {
  const Cookie = (await page.context().cookies(demo.origin)).map(({ name, value }) => `${name}=${value}`).join("; ");
  expect(Cookie).toContain("__Host-session=");
  for (const path of ["/", "/console", "/account/api/access", "/oauth/authorize"]) {
    const answer = await fetch(demo.issuer + path, { headers: { Cookie }, redirect: "manual" });
    expect([path, answer.status, answer.headers.getSetCookie()]).toEqual([path, 421, []]);
  }
});
