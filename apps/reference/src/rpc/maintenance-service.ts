import type { ServiceImpl } from "@connectrpc/connect";
import { type Call, checkedCall } from "@platform/server";
import type { MaintenanceService } from "@platform/types-internal";
import type { Validate } from "./private-routes.js";

export interface MaintenanceServiceDeps {
  /** Trusts the clock from now on. */
  readonly trustClock: (call: Call) => Promise<void>;
  readonly validate: Validate;
}

/** MaintenanceService: what an operator does by hand. */
export function createMaintenanceService(deps: MaintenanceServiceDeps): ServiceImpl<typeof MaintenanceService> {
  const { trustClock, validate } = deps;
  return {
    async trustClock(request, context) {
      await trustClock(checkedCall(validate, request, context));
      return {};
    },
  };
}
