import { withoutChromium } from "@platform-rpc/accounts/testing/browser";
import { findViolations } from "@platform-rpc/accounts/testing/find-violations";
import { describe, expect, it } from "vitest";
import { openConsole, startDemo } from "../testing/console-steps.js";

describe.skipIf(withoutChromium)("the page Charts of the console", () => {
  it("shows what the server does, and the size of a vault, as charts and as tables", async () => {
    await using demo = await startDemo();
    await using person = await demo.openPage();
    const { page, problems } = person;
    await openConsole(page, demo);
    const points = [0, 1, 2].map((n) => ({
      at: new Date(Date.UTC(2026, 10, 22, 12, n)).toISOString(),
      deletions: 6 * n,
      exchanges: 1,
      refusals: { VERSION_CONFLICT: n },
      ...(n > 0 && { p50: 1.5, p99: 20 * n }),
    }));
    // The server takes its own figures every 10 s.
    await page.route("**/account/api/charts?hours=1", (route) => route.fulfill({ json: { points: [] } }));
    await page.route("**/account/api/charts?hours=6", (route) => route.fulfill({ json: { points } }));
    await page.getByRole("link", { name: "Charts" }).press("Enter");
    await page.getByText("No figures yet.").first().waitFor();
    await page.getByRole("heading", { name: "Size of demo-vault" }).waitFor();
    expect(await findViolations(page)).toEqual([]);

    await page.getByLabel("Period").selectOption("Last 6 hours");
    await page.getByText("Deletions: now 12, at most 12 a minute").waitFor();
    await page.getByText("VERSION_CONFLICT: now 2, at most 2 a minute").waitFor();
    await page.getByText("Latency: all values as a table").focus();
    await page.keyboard.press("Enter");
    const rows = page.getByRole("region", { name: "Latency" }).getByRole("row");
    expect(await rows.last().textContent()).toMatch(/1\.540$/);
    expect(await rows.nth(1).textContent()).toMatch(/no callsno calls$/);
    await page.getByText(/^Items: now \d+, at most \d+ items$/).waitFor();
    expect(await findViolations(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("shows only the size of vaults if the operator does not allow more", async () => {
    await using demo = await startDemo({ ACCOUNTS_CHARTS: "off" });
    await using person = await demo.openPage();
    const { page, problems } = person;
    await openConsole(page, demo);
    await page.getByRole("link", { name: "Charts" }).click();
    await page.getByText("This server shows no charts of its calls.").waitFor();
    await page.getByText(/^Items: now \d+/).waitFor();
    expect(await findViolations(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
});
