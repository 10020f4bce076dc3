import { ConnectError, createPromiseClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { ErrorInfo, IdentityGatewayService, VaultService, VersionConflict } from "@platform-rpc/types-connect-v1";

const { FIXTURE = "{}" } = process.env;
const { baseUrl, token, item, approvedCode } = JSON.parse(FIXTURE);
const transport = createConnectTransport({
  baseUrl,
  httpVersion: "1.1",
  useBinaryFormat: false,
  interceptors: [
    (next) => (request) => {
      request.header.set("Authorization", `Bearer ${token}`);
      return next(request);
    },
  ],
});
const vault = createPromiseClient(VaultService, transport);
const deleted = await vault.deleteItem(item);
const conflict = ConnectError.from(
  await vault.deleteItem({ ...item, baseVersion: 7 }).catch((error: unknown) => error),
);
const [info] = conflict.findDetails(ErrorInfo);
if (info?.reason !== "VERSION_CONFLICT") throw new Error(`The reason is ${info?.reason}.`);
const [detail] = conflict.findDetails(VersionConflict);
if (detail?.cursor?.sequence !== deleted.cursor?.sequence) throw new Error("The conflict has another cursor.");

const gateway = createPromiseClient(IdentityGatewayService, transport);
const { status, brokerToken } = await gateway.exchangeMcpOauthDeviceAuthorization({ deviceCode: approvedCode });
if (status !== "approved") throw new Error(`The exchange is ${status}.`);
if (brokerToken?.role !== "agent") throw new Error(`The broker token has the role ${brokerToken?.role}.`);
console.log(`${VaultService.typeName}: passed`);
