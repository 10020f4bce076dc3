import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { rpcErrorOf } from "@platform-rpc/accounts/contract/private-contract";
import { BackupError, type Call, checkedMethod, type Storage } from "@platform-rpc/server";
import { auditEntryLine, type Backup, type RequestValidator, type RpcError } from "@platform-rpc/server/host";
import type { MaintenanceService } from "@platform-rpc/types-internal";

export interface MaintenanceServiceDeps {
  readonly trustClock: (call: Call) => Promise<void>;
  /** Makes a backup at an absolute path. */
  readonly backUp: (path: string) => Promise<Backup>;
  readonly readAudit: Storage["readAudit"];
  readonly validate: RequestValidator;
}

/** The largest number of audit records in a page: about 400 KiB. */
export const auditPageSize = 1000;

export function createMaintenanceService(deps: MaintenanceServiceDeps): ServiceImpl<typeof MaintenanceService> {
  const { trustClock, backUp, readAudit, validate } = deps;
  return {
    backUpDatabase: checkedMethod(validate, async (request) => {
      const { path, bytes, madeAt } = await backUp(request.path).catch((error: unknown) => {
        throw error instanceof BackupError ? backupRpcError(error) : error;
      });
      return { path, kibibytes: Math.ceil(bytes / 1024), madeAt: timestampFromMs(madeAt) };
    }),

    trustClock: checkedMethod(validate, async (_, call) => {
      await trustClock(call);
      return {};
    }),

    listAuditTrail: checkedMethod(validate, async (request) => {
      const { entries, position, ...rest } = await readAudit(Number(request.position), auditPageSize);
      return { ...rest, lines: entries.map(auditEntryLine), position: String(position) };
    }),
  };
}

const reasons = {
  file_exists: "BACKUP_FILE_EXISTS",
  not_writable: "BACKUP_NOT_WRITABLE",
  in_progress: "BACKUP_IN_PROGRESS",
  failed: "BACKUP_FAILED",
} as const;

/** Returns the RpcError of a failed backup, with the BackupError's message. */
export function backupRpcError({ reason, message }: BackupError): RpcError {
  return rpcErrorOf("platform.internal.v1.MaintenanceService/BackUpDatabase")(reasons[reason], { message });
}
