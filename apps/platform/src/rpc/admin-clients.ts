import { type Client, createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import {
  AccessAdminService,
  DeviceAuthorizationService,
  MaintenanceService,
  VaultAdminService,
} from "@platform-rpc/types-internal";

export interface PlatformAddress {
  readonly publicUrl: string;
  readonly internalUrl: string;
  readonly adminToken: string;
}

export interface AdminClients {
  readonly vaults: Client<typeof VaultAdminService>;
  readonly authorizations: Client<typeof DeviceAuthorizationService>;
  readonly access: Client<typeof AccessAdminService>;
  readonly maintenance: Client<typeof MaintenanceService>;
}

export function createAdminClients({ internalUrl, adminToken }: Omit<PlatformAddress, "publicUrl">): AdminClients {
  const transport = createConnectTransport({
    baseUrl: internalUrl,
    useBinaryFormat: false,
    interceptors: [
      (next) => (request) => {
        request.header.set("Authorization", `Bearer ${adminToken}`);
        return next(request);
      },
    ],
  });
  return {
    vaults: createClient(VaultAdminService, transport),
    authorizations: createClient(DeviceAuthorizationService, transport),
    access: createClient(AccessAdminService, transport),
    maintenance: createClient(MaintenanceService, transport),
  };
}
