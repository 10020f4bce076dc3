import { readOperations } from "@platform-rpc/server/host";
import {
  ItemUseService,
  MemberVaultService,
  PersonService,
  ProgramUnlockService,
} from "@platform-rpc/types-internal/accounts";

/** The services of the member API. */
export const memberServices = [MemberVaultService, ProgramUnlockService, PersonService, ItemUseService];

export const memberOperations = readOperations(memberServices);
