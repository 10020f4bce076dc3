import type { ServiceImpl } from "@connectrpc/connect";
import type { Clock } from "@platform-rpc/server";
import { handle, type RequestValidator } from "@platform-rpc/server/host";
import type {
  GetUnlockRequest,
  ProgramUnlockService,
  RequestUnlockRequest,
} from "@platform-rpc/types-internal/accounts";
import { rpcErrorOf } from "../contract/private-contract.js";
import { deviceName } from "../device/device-start.js";
import { callerAddress } from "../http/client-address.js";
import { isOwnProgram } from "../oauth-clients/first-party-clients.js";
import type { Unlocks } from "../unlocks/unlocks.js";

interface ProgramUnlockServiceDeps {
  readonly unlocks: Unlocks;
  readonly validate: RequestValidator;
  readonly clock: Clock;
}

/** Software that acts for people gets no keys: only the program that they use themselves does. */
const refused = { ok: false, reason: "VAULT_NOT_FOUND" } as const;

/** Implements ProgramUnlockService: the command line asks for the keys of vaults, and gets them. */
export function createProgramUnlockService({
  unlocks,
  validate,
  clock,
}: ProgramUnlockServiceDeps): ServiceImpl<typeof ProgramUnlockService> {
  return {
    requestUnlock: handle({
      validate,
      error: rpcErrorOf("platform.accounts.v1.ProgramUnlockService/RequestUnlock"),
      async run({ unlockId, encryptionKey, signingKey }: RequestUnlockRequest, call, { requestHeader }) {
        if (!isOwnProgram(call)) return refused;
        const device = deviceName(requestHeader.get("User-Agent") ?? "");
        const address = callerAddress(requestHeader);
        const from = { ...(device !== undefined && { device }), ...(address !== undefined && { address }) };
        const unlock = await unlocks.request({ unlockId, encryptionKey, signingKey, ...from }, call);
        return unlock === undefined ? refused : ({ ok: true, unlock } as const);
      },
      answer: ({ unlock }) =>
        unlock === "key removed"
          ? { signingKeyRemoved: true }
          : { expiresInSeconds: Math.max(0, Math.ceil((unlock.expiresAt - clock.now()) / 1000)) },
    }),

    getUnlock: handle({
      validate,
      error: rpcErrorOf("platform.accounts.v1.ProgramUnlockService/GetUnlock"),
      async run({ unlockId }: GetUnlockRequest, call) {
        if (!isOwnProgram(call)) return refused;
        const unlock = await unlocks.find(unlockId, call);
        if (unlock === undefined) return { ok: true, state: "ended" } as const;
        if (unlock.handOver === undefined) return { ok: true, state: "pending" } as const;
        const handOver = JSON.stringify(unlock.handOver);
        return { ok: true, state: "handed_over", handOver, ...(await unlocks.certificates(call)) } as const;
      },
      answer: ({ ok: _, ...answer }) => answer,
    }),
  };
}
