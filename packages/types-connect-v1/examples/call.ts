import { ConnectError, createPromiseClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { VaultService, VersionConflict } from "@platform-rpc/types-connect-v1";

const { PLATFORM_TOKEN = "" } = process.env;
const transport = createConnectTransport({
  baseUrl: "https://api.example.com",
  httpVersion: "1.1",
  useBinaryFormat: false, // the platform speaks JSON only
  interceptors: [
    (next) => (request) => {
      request.header.set("Authorization", `Bearer ${PLATFORM_TOKEN}`);
      return next(request);
    },
  ],
});
const vault = createPromiseClient(VaultService, transport);

try {
  const { item, cursor } = await vault.deleteItem({ vaultId: "personal", itemId: "i-1", baseVersion: 3 });
  console.log(item?.version, cursor?.sequence);
} catch (error) {
  const [conflict] = ConnectError.from(error).findDetails(VersionConflict);
  if (conflict === undefined) throw error;
  console.warn(`The item is now at version ${conflict.currentVersion}. Read it, then decide again.`);
}
