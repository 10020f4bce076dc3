import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished } from "vitest";
import { openNewVault } from "./testing/console-steps.js";
import { it } from "./testing/in-browser.js";

/** A program that listens on another port of this machine. */
async function startListener() {
  const cookies: (string | undefined)[] = [];
  const server = createServer(({ headers }, response) => {
    cookies.push(headers.cookie);
    response.setHeader("Content-Type", "text/html").end("<h1>Signed in</h1>");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { port, cookies };
}

describe("cookies know no ports", () => {
  it.for([
    ["localhost", 0],
    ["127.0.0.1", 0],
    // The test finds a session where there is one. SECURITY.md names this case.
    ["accounts.localhost", 1],
  ] as const)("a program that listens at %s gets %i sessions of a person", async ([host, count], { demo, page }) => {
    await openNewVault(page, demo);
    const { port, cookies } = await startListener();
    await page.goto(`http://${host}:${port}/`);
    // A page that reloads itself gets the cookies that a link from another site does not send.
    await page.reload();
    expect(cookies.slice(-1).filter((cookie) => cookie?.includes("__Host-session="))).toHaveLength(count);
  });

  it.for(["localhost", "127.0.0.1"])(
    "a page of a program at %s gets no output of a passkey, and no token",
    async (host, { demo, page, person }) => {
      await openNewVault(page, demo);
      expect(await person.passkeyCount()).toBe(1);
      const { port } = await startListener();
      await page.goto(`http://${host}:${port}/`);
      const usePasskey = (rpId: string) =>
        page.evaluate((rpId) => {
          const challenge = new Uint8Array(32);
          const extensions = { prf: { eval: { first: challenge } } };
          const publicKey = { rpId, challenge, extensions, timeout: 1000 };
          return navigator.credentials.get({ publicKey }).catch(({ name }: Error) => name);
        }, rpId);
      expect(await usePasskey("accounts.localhost")).toBe("SecurityError");
      if (host === "localhost") expect(await usePasskey("localhost")).toBe("NotAllowedError");
      for (const origin of [demo.origin, demo.issuer]) {
        const asked = page.evaluate(
          (url) => fetch(url, { method: "POST", credentials: "include" }).catch(({ name }: Error) => name),
          `${origin}/account/api/token`,
        );
        expect(await asked).toBe("TypeError");
      }
      person.takeProblems();
    },
  );

  it("the address of programs reads and sets none, and leads a browser to the pages", async ({ demo, page }) => {
    await openNewVault(page, demo);
    const Cookie = (await page.context().cookies(demo.origin)).map(({ name, value }) => `${name}=${value}`).join("; ");
    expect(Cookie).toContain("__Host-session=");
    for (const path of ["/", "/console", "/account/api/access", "/oauth/authorize"]) {
      const answer = await fetch(demo.issuer + path, { headers: { Cookie }, redirect: "manual" });
      expect([path, answer.status, answer.headers.getSetCookie()]).toEqual([path, 421, []]);
    }
    await page.goto(`${demo.issuer}/console/security`);
    expect(page.url()).toBe(`${demo.origin}/console/security`);
    await page.getByRole("heading", { name: "Security", level: 1 }).waitFor();
  });
});
