import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { ownCall } from "@platform-rpc/accounts/http/own-call";
import { inMemoryPlatform } from "@platform-rpc/accounts/testing/in-memory-platform";
import { content } from "@platform-rpc/accounts/testing/item-content";
import { connectHostOptions, createListener } from "@platform-rpc/server";
import { publicOperations } from "@platform-rpc/server/host";

const scopes = [...new Set([...publicOperations.values()].flatMap(({ requiredScopes }) => requiredScopes))];
const tenantId = "entries";
const ada = { tenantId, principalId: "ada" };
const agent = { tenantId, oauthClientId: "agent" };
const subject = { ...ada, ...agent };
const silent = { info: () => undefined, error: () => undefined };

/** Starts one platform, served over sockets by its own listener and by a stock Connect-ES server. */
export async function hostPlatform() {
  const platform = await inMemoryPlatform();
  const { operations, secrets, close } = platform;
  const own = () => ownCall("test", secrets);
  await operations.setPrincipal({ ...ada, active: true }, own());
  const allowedOperations = [...publicOperations.keys()];
  await operations.setOauthClient({ ...agent, name: "Agent", allowedOperations, enabled: true }, own());
  const issued = await operations.issueAccessToken({ ...subject, scopes, lifeSeconds: 0 }, own());

  const listener = createListener(platform, { logger: silent });
  const { port: listenerPort } = await listener.listen(0, "127.0.0.1");
  const stock = createServer(connectNodeAdapter(connectHostOptions(platform)));
  const stockPort = await new Promise<number>((resolve) => {
    stock.listen(0, "127.0.0.1", () => resolve(portOf(stock.address())));
  });

  return {
    token: issued.accessToken,
    baseUrls: { listener: `http://127.0.0.1:${listenerPort}`, stock: `http://127.0.0.1:${stockPort}` },
    /** Creates an item at version 1 in a new vault. */
    async newItem() {
      const vaultId = secrets.newId();
      await operations.createVault({ tenantId, vaultId, retentionDays: undefined }, own());
      await operations.setVaultMember({ ...ada, vaultId, role: "owner" }, own());
      const put = await operations.putItem(
        { access: "administrator", ...subject, vaultId, itemId: "", baseVersion: 0, ...content },
        own(),
      );
      return put.ok ? { vaultId, itemId: put.item.itemId, baseVersion: 1 } : Promise.reject(new Error(put.reason));
    },
    async startDevice() {
      const started = await operations.startDeviceAuthorization({ ...subject, scopes, popPublicJwk: "" }, own());
      return started.ok ? started : Promise.reject(new Error(started.reason));
    },
    approveDevice: (userCode: string) =>
      operations.answerDeviceAuthorization({ ...subject, userCode }, { approve: scopes }, own()),
    async end() {
      stock.closeAllConnections();
      await Promise.all([listener.close(0), new Promise((resolve) => stock.close(resolve))]);
      await close();
    },
  };
}

function portOf(address: AddressInfo | string | null): number {
  if (typeof address !== "object" || address === null) throw new TypeError("it does not listen on TCP");
  return address.port;
}
