import { internalContract } from "@platform-rpc/accounts/contract/private-contract";
import type { Call, Platform, Routes, Storage } from "@platform-rpc/server";
import { type Backup, readOperations } from "@platform-rpc/server/host";
import {
  AccessAdminService,
  DeviceAuthorizationService,
  MaintenanceService,
  VaultAdminService,
} from "@platform-rpc/types-internal";
import { createAccessAdminService } from "./access-admin-service.js";
import { createDeviceAuthorizationService } from "./device-authorization-service.js";
import { createMaintenanceService } from "./maintenance-service.js";
import { createVaultAdminService } from "./vault-admin-service.js";

export const privateServices = [VaultAdminService, DeviceAuthorizationService, AccessAdminService, MaintenanceService];

export const privateOperations = readOperations(privateServices);

export function createPrivateRoutes(deps: {
  readonly operations: Platform["operations"];
  readonly verificationUri: string;
  readonly trustClock: (call: Call) => Promise<void>;
  readonly backUp: (path: string) => Promise<Backup>;
  readonly readAudit: Storage["readAudit"];
}): Routes {
  const requests = privateServices.flatMap((service) => service.methods.map((method) => method.input));
  const validate = internalContract.createValidator(requests);
  const known = { ...deps, validate };
  return (router) => {
    router.service(VaultAdminService, createVaultAdminService(known));
    router.service(DeviceAuthorizationService, createDeviceAuthorizationService(known));
    router.service(AccessAdminService, createAccessAdminService(known));
    router.service(MaintenanceService, createMaintenanceService(known));
  };
}
