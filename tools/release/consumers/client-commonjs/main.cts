import client = require("@platform-rpc/client");
import types = require("@platform-rpc/types");

/** Calls the platform from a CommonJS program, with `require`. */
async function main(): Promise<void> {
  const { FIXTURE = "{}" } = process.env;
  const { baseUrl, token, item } = JSON.parse(FIXTURE);
  const { vault } = client.createPlatformClient({ baseUrl, token });
  const { cursor } = await vault.deleteItem(item);
  const sequence: number = cursor.sequence;
  const conflict = await vault.deleteItem({ ...item, baseVersion: 7 }).catch((error: unknown) => error);
  if (!client.isPlatformError(conflict, "VERSION_CONFLICT")) throw new Error("A wrong version is not a conflict.");
  if (conflict.detail.cursor?.sequence !== sequence) throw new Error("The conflict has another cursor.");
  console.log(`${types.VaultService.typeName}: passed`);
}

main();
