import { afterAll, expect, it } from "vitest";
import { startTestApp } from "../../../src/testing/start-test-app.js";

const app = await startTestApp({ DEMO: "on" });
afterAll(() => app.end());

it("/ says what the platform is, and leads to signing in, to a new account and to the documentation", async () => {
  const response = await fetch(`${app.pagesUrl}/`, { redirect: "manual" });
  const page = await response.text();
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/html; charset=UTF-8"]);
  expect(page).toContain("no key");
  const links = [...page.matchAll(/<a href="([^"]+)"/g)].map(([, link]) => link);
  // The links that lead to the account after signing in contain its path.
  const paths = links.map((link = "") => link.replace(/\?next=.*/, ""));
  expect(paths).toEqual(["/sign-in", "/sign-up", `${app.publicUrl}/docs`]);
});
