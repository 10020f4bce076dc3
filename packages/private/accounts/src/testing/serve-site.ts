import { onTestFinished } from "vitest";
import { createAccountsSite, type SiteChanges } from "./accounts-site.js";

/** Serves the accounts site on a platform in memory to real browsers. It ends with the test. */
export async function serveSite(changes: SiteChanges = {}) {
  const site = await createAccountsSite(changes);
  const { origin, close } = await site.listen();
  onTestFinished(async () => {
    await close();
    await site.close();
  });
  return { ...site, origin };
}
