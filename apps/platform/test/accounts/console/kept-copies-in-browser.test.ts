import { cp, rm } from "node:fs/promises";
import { findViolations } from "@platform-rpc/accounts/testing/find-violations";
import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { temporaryFolder } from "../../../src/testing/temporary-folder.js";
import { copiesIn, itemLink, openVault } from "../testing/console-steps.js";
import { it } from "../testing/in-browser.js";
import { contentOf, place, rewrite, startProgram } from "../testing/start-demo.js";

/** Waits until the copy of the demo's vault goes up to a change. */
const waitForCopy = (page: Page, sequence: number) =>
  expect
    .poll(() => copiesIn(page))
    .toContainEqual(expect.stringMatching(`^platform-vault-copies vault,demo-vault {"sequence":${sequence}[,}]`));

describe("the copies of vaults that a browser keeps, in Chromium", () => {
  it("are shown before the server has answered anything, which then lists what has changed; they contain ciphertext only", async ({
    demo,
    demoVault: page,
  }) => {
    const { cursor } = await demo.vaults.listChanges({ ...place, limit: 500 });
    const sequence = cursor?.sequence ?? 0;
    await waitForCopy(page, sequence);
    await expect.poll(() => copiesIn(page)).toContainEqual(expect.stringContaining('"displayName":"Demo user"'));
    const text = (await copiesIn(page)).join("\n");
    expect(text).toContain('"ciphertext":"');
    expect(text).not.toMatch(/Example|correct horse|CryptoKey/);

    await page.goto("about:blank");
    await rewrite(demo.vaults, "demo-note");
    const held = Promise.withResolvers<void>();
    const listed: string[] = [];
    await page.route(/\/(?:List(?:Changes|Vaults)|api\/(?:console|token))$/, async (route) => {
      await held.promise;
      const response = await route.fetch();
      const body = (await response.text()).replace("Demo user", "Renamed user");
      listed.push(...(body.match(/"itemId":"[^"]*"/g) ?? []));
      await route.fulfill({ response, body });
    });
    await page.goto(`${demo.origin}/console/vaults/demo-vault`);
    await page.getByRole("heading", { name: "Demo", level: 1, exact: true }).waitFor();
    await itemLink(page, "Example mail").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Demo user" }).waitFor();
    held.resolve();
    await page.getByRole("button", { name: "Renamed user" }).waitFor();
    await waitForCopy(page, sequence + 1);
    expect(listed).toEqual(['"itemId":"demo-note"']);
  });

  it("stay as they were in a browser without space, which shows the vault all the same", async ({
    demo,
    demoVault: page,
  }) => {
    const { cursor } = await demo.vaults.listChanges({ ...place, limit: 500 });
    const sequence = cursor?.sequence ?? 0;
    await waitForCopy(page, sequence);
    await page.addInitScript(() => {
      const { put } = IDBObjectStore.prototype;
      // As a browser without space ends a transaction.
      IDBObjectStore.prototype.put = function (...record) {
        const putting = put.apply(this, record);
        if (this.name === "records") this.transaction.abort();
        return putting;
      };
    });
    const address = page.url();
    await page.goto("about:blank");
    await rewrite(demo.vaults, "demo-card");
    const listed = page.waitForResponse(/\/ListChanges$/);
    await page.goto(address);
    await listed;
    await itemLink(page, "Example card").waitFor();
    await waitForCopy(page, sequence);
  });

  it("are discarded, and read again, if the server has an earlier state than they; Activity says so", async ({
    page,
  }) => {
    const { start, dataDir } = await startProgram();
    const first = await start();
    await openVault(page, first);
    await first.stop();
    const before = `${await temporaryFolder()}/before`;
    await cp(dataDir, before, { recursive: true });
    const second = await start();
    const { content } = await contentOf(second.vaults, "demo-card");
    await second.vaults.putItem({ ...place, itemId: "lost", ...content, baseVersion: 0 });
    const lost = page.locator("[data-item='demo-vault/lost']");
    await lost.waitFor();
    await expect.poll(() => copiesIn(page)).toContainEqual(expect.stringContaining('"itemId":"lost"'));
    await page.goto("about:blank");
    await second.stop();
    await rm(dataDir, { recursive: true });
    await cp(before, dataDir, { recursive: true });

    await start();
    await page.goto(`${first.origin}/console/vaults/demo-vault`);
    await page.getByText("A vault was restored from a backup, and read again from the start.").waitFor();
    await lost.waitFor({ state: "detached" });
    await itemLink(page, "Example mail").waitFor();
    // The next page knows it from the browser.
    await expect.poll(() => copiesIn(page)).toContainEqual(expect.stringContaining('"discarded":{"what":"behind"'));
    await page.goto(`${first.origin}/console/activity`);
    await page
      .getByText(/this browser discarded its copy of Demo, .* The history of the server ended before it/)
      .waitFor();
    expect(await findViolations(page)).toEqual([]);
    expect((await copiesIn(page)).join()).not.toContain('"itemId":"lost"');
  });
});
