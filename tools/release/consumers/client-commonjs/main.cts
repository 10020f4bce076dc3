import client = require("@platform-rpc/client");
import types = require("@platform-rpc/types");

/** What a CommonJS program does: the same classes and checks by `require`. */
async function main(): Promise<void> {
  const { SCENE = "{}" } = process.env;
  const { baseUrl, token, item } = JSON.parse(SCENE);
  const { vault } = client.createPlatformClient({ baseUrl, token });
  const { cursor } = await vault.deleteItem(item);
  const sequence: number = cursor.sequence;
  const conflict = await vault.deleteItem({ ...item, baseVersion: 7 }).catch((error: unknown) => error);
  if (!client.isPlatformError(conflict, "VERSION_CONFLICT")) throw new Error("A wrong version is no conflict.");
  if (conflict.detail.cursor?.sequence !== sequence) throw new Error("The conflict tells another change.");
  console.log(`${types.VaultService.typeName}: told`);
}

main();
