import { setTimeout } from "node:timers/promises";
import { moveSqliteTenant } from "../../../../../src/storage/postgres/arrive/move-sqlite-tenant.js";

// Moves a tenant, prints the steps, and waits at one of them until it is killed.
const [tenantId = "", path = "", url = "", contentKey = "", keysId = "", at = ""] = process.argv.slice(2);
await moveSqliteTenant({
  ...{ tenantId, path, to: { name: "b", url }, others: [], ownTenants: [], keysId },
  contentKey: Buffer.from(contentKey, "hex"),
  async onStep(step) {
    console.log(step);
    if (step === at) await setTimeout(600_000);
  },
});
