import { withoutChromium } from "@platform-rpc/accounts/testing/browser";
import { inBrowser } from "@platform-rpc/accounts/testing/in-browser";
import { newCommandLine } from "../../../src/testing/command-line.js";
import { openConsole, openNewVault, openVault } from "./console-steps.js";
import { startDeviceSite } from "./device-site.js";
import { startDemo } from "./start-demo.js";

const environment: Readonly<Record<string, string>> = {};

/** Tests in Chromium of an app that the tests of a file share. It starts when the first of them needs it. */
export const withApp = inBrowser
  .extend("environment", { scope: "file" }, environment)
  .extend("demo", { scope: "file" }, async ({ environment }, { onCleanup }) => {
    const demo = await startDemo(environment);
    onCleanup(() => demo[Symbol.asyncDispose]());
    return demo;
  })
  /** The page of a new person, whose vault is empty. */
  .extend("newVault", async ({ page, demo }) => {
    await openNewVault(page, demo);
    return page;
  })
  /** The page of the person of the demo, with all of their items. */
  .extend("allItems", async ({ page, demo }) => {
    await openConsole(page, demo);
    return page;
  })
  /** The page of the person of the demo, with the vault of the demo. */
  .extend("demoVault", async ({ page, demo }) => {
    await openVault(page, demo);
    return page;
  })
  /** An app without the demo. Its tests advance its clock, and share its limits. */
  .extend("device", { scope: "file" }, ({ environment }, { onCleanup }) =>
    startDeviceSite({ environment, atEnd: onCleanup }),
  );

/** Tests of the command line with a browser, which share its files, too. */
export const withCommandLine = withApp.extend("commandLine", { scope: "file" }, async ({ demo }, { onCleanup }) => {
  const commandLine = await newCommandLine(demo);
  onCleanup(commandLine.remove);
  return commandLine;
});

/** Tests of the app, skipped without Chromium. */
export const it = withApp.skipIf(withoutChromium);
