import { readOperations } from "@platform-rpc/server/host";
import { MemberVaultService, PersonService, ProgramUnlockService } from "@platform-rpc/types-internal/accounts";

export const memberOperations = readOperations([MemberVaultService, ProgramUnlockService, PersonService]);
