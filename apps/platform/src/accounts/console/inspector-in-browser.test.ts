import { withoutChromium } from "@platform-rpc/accounts/testing/browser";
import { findViolations } from "@platform-rpc/accounts/testing/find-violations";
import { expect, it } from "vitest";
import { itemLink, openedItem, openVault, startDemo } from "../testing/console-steps.js";

it.skipIf(withoutChromium)(
  "the request inspector shows the calls of the page, and copies them without their token",
  async () => {
    await using demo = await startDemo();
    await using person = await demo.openPage();
    const { page, problems } = person;
    const tokens: string[] = [];
    page.on("request", (request) => {
      tokens.push(new Headers(request.headers()).get("Authorization")?.replace("Bearer ", "") ?? "");
    });
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
    await openVault(page, demo);
    await itemLink(page, "Alarm code").click();
    await openedItem(page, "Alarm code").getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("“Alarm code” deleted").waitFor();

    await page.getByRole("button", { name: "Demo user" }).click();
    await page.getByRole("link", { name: "Developer" }).click();
    const inspector = page.getByRole("region", { name: "Request inspector" });
    await inspector.getByRole("button", { name: "DeleteItem" }).click();
    const request = inspector.getByRole("textbox", { name: "Request", exact: true });
    expect(await request.inputValue()).toContain('"itemId": "demo-note"');
    const response = inspector.getByRole("textbox", { name: "Response", exact: true });
    expect(await response.inputValue()).toMatch(/"ciphertext": "[\w-]{40}… \(\d+ characters\)"|"deleted": true/);
    expect(await findViolations(page)).toEqual([]);
    await page.setViewportSize({ width: 1024, height: 800 });

    await inspector.getByRole("button", { name: "Copy as curl" }).click();
    await inspector.getByText("The curl command was copied.").waitFor();
    expect(await clipboard()).toContain(`--data-raw '{"vaultId":"demo-vault","itemId":"demo-note","baseVersion":1}'`);
    await inspector.getByRole("button", { name: "Copy as TypeScript" }).click();
    await inspector.getByText("The TypeScript program was copied.").waitFor();
    expect(await clipboard()).toContain("client.deleteItem({");
    await inspector.getByRole("button", { name: "Copy response" }).click();
    await inspector.getByText("The response was copied.").waitFor();
    expect(JSON.parse(await clipboard())).toMatchObject({ item: { itemId: "demo-note", deleted: true } });

    const used = new Set(tokens.filter((token) => token !== ""));
    expect(used.size).toBeGreaterThan(0);
    const shown = await page.content();
    for (const token of used) expect(shown).not.toContain(token);
    await inspector.getByRole("button", { name: "Clear" }).click();
    await inspector.getByText("No calls yet").waitFor();
    expect(problems).toEqual([]);
  },
);
