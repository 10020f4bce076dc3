import { readFile } from "node:fs/promises";
import type { Platform, Secrets } from "@platform-rpc/server";
import * as z from "zod";
import { ownCall } from "../own-call.js";
import { replacePrivateFile } from "../private-file.js";
import type { DemoKeys } from "./demo-keys.js";
import { demoTenant, demoVault } from "./demo-names.js";
import { sealForDemoUser } from "./seal-for-demo-user.js";

const deleteItemBody = z.object({ vaultId: z.string(), itemId: z.string(), baseVersion: z.number() });

/** Maintains a file with a DeleteItem request that succeeds. Replaces the item and the request once the item is deleted. */
export function createThrowawayItem(deps: {
  readonly operations: Platform["own"];
  readonly secrets: Secrets;
  readonly keys: DemoKeys;
  /** The path of the file with the body of the request. */
  readonly file: string;
}) {
  const { operations, secrets, keys, file } = deps;
  const call = () => ownCall("demo", secrets);

  async function isLiveAsInFile(): Promise<boolean> {
    const body = await readBody(file);
    if (body === undefined) return false;
    const found = await operations.getItem({ tenantId: demoTenant, ...body }, call());
    return found.ok && found.item.state === "live" && found.item.version === body.baseVersion;
  }

  return {
    async refresh(): Promise<void> {
      if (await isLiveAsInFile()) return;
      const ref = { tenantId: demoTenant, vaultId: demoVault, itemId: secrets.newId() };
      const plain = { title: "Delete me", fields: { text: "This item exists to be deleted." } };
      const content = await sealForDemoUser(keys, ref, "custom", plain);
      const put = await operations.putItem({ ...ref, baseVersion: 0, ...content }, call());
      if (!put.ok) throw new Error(`writing the demo's item failed: ${put.reason}`);
      const { vaultId, itemId, version } = put.item;
      await replacePrivateFile(file, `${JSON.stringify({ vaultId, itemId, baseVersion: version })}\n`);
    },
  };
}

async function readBody(file: string): Promise<z.infer<typeof deleteItemBody> | undefined> {
  try {
    return deleteItemBody.parse(JSON.parse(await readFile(file, "utf8")));
  } catch {
    return undefined;
  }
}
