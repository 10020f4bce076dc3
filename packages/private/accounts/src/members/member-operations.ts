import { readOperations } from "@platform-rpc/server/host";
import { MemberVaultService, PersonService, ProgramUnlockService } from "@platform-rpc/types-internal/accounts";

/** The private operations of members, by name. */
export const memberOperations = readOperations([MemberVaultService, ProgramUnlockService, PersonService]);
