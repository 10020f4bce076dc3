import {
  type Clock,
  createListener,
  type Listener,
  type ListenerOptions,
  type Logger,
  type Platform,
  type RequestEnd,
  type Routes,
} from "@platform-rpc/server";
import type { Limits, Tracing } from "@platform-rpc/server/host";
import { Visibility } from "@platform-rpc/types";
import {
  ItemUseService,
  MemberVaultService,
  PersonService,
  ProgramUnlockService,
} from "@platform-rpc/types-internal/accounts";
import { createConsentRequests } from "../consents/consent-request.js";
import { createConsents } from "../consents/consents.js";
import { internalContract } from "../contract/private-contract.js";
import { ownCall } from "../http/own-call.js";
import { createAccountStore } from "../people/account-store.js";
import { createUnlocks } from "../unlocks/unlocks.js";
import { createOwnVaults } from "../vaults/own-vaults.js";
import { createChangeWatch } from "./change-watch.js";
import { readProofs } from "./deletion-proofs.js";
import { createItemUseService } from "./item-use-service.js";
import { memberServices } from "./member-operations.js";
import { createMemberVaultService } from "./member-vault-service.js";
import { createPersonService } from "./person-service.js";
import { createProgramUnlockService } from "./program-unlock-service.js";
import { createVaultHeads } from "./vault-heads.js";

/** The member API, which the accounts listener serves. */
export interface MemberListener extends Pick<Listener, "handle" | "close"> {
  /** The operations, for another gate in front of them. A call that waits for changes needs a token of the API. */
  readonly routes: Routes;
}

export interface MemberListenerOptions extends Pick<ListenerOptions, "unread"> {
  readonly limits: Partial<Limits> & Pick<Limits, "callsInFlight">;
  /** The part of the successful requests that is logged, from 0 to 1. */
  readonly logSuccesses: number;
  /** How often a vault is looked at while a call waits for its changes, in milliseconds. */
  readonly lookEveryMs: number;
  readonly platform: Pick<
    Platform,
    "operations" | "own" | "admit" | "authenticator" | "countMore" | "secrets" | "keyRing"
  >;
  /** The origin of the pages. */
  readonly origin: string;
  readonly logger: Logger;
  readonly tracing: Tracing | undefined;
  readonly clock: Clock;
  readonly onRequestEnd: (end: RequestEnd) => void;
}

/** How often the token of each waiting call is checked, in milliseconds. Tokens are cached for a second. */
const checkEveryMs = 2000;

/** How many calls of one principal may wait for changes at the same time. */
const waitingCalls = 10;

/**
 * Creates the member API: the strict handler and the gate of the API, for operations that are not public. It accepts access tokens
 * only, and never looks at cookies. `close` ends waiting calls at once.
 */
export function createMemberListener(options: MemberListenerOptions): MemberListener {
  const { limits, logSuccesses, platform, logger, tracing, onRequestEnd, unread } = options;
  const { operations, own, admit, authenticator, countMore } = platform;
  const watch = createChangeWatch({
    listChanges: (query) =>
      own.listChanges({ ...query, access: "administrator" }, ownCall("watch changes", platform.secrets)),
    everyMs: options.lookEveryMs,
    checkEveryMs,
    mostPerPrincipal: waitingCalls,
    // The others are for calls that do not wait.
    mostInTotal: Math.floor(limits.callsInFlight / 2),
  });
  const validate = internalContract.createValidator(
    memberServices.flatMap(({ methods }) => methods.map((method) => method.input)),
  );
  const ownVaults = createOwnVaults({ operations, own, clock: options.clock });
  const unlocks = createUnlocks({ own, clock: options.clock });
  const service = createMemberVaultService({
    ...{ operations, admit, authenticator, countMore, watch, ownVaults, validate },
    heads: createVaultHeads(own),
    readProofs: (items) => readProofs(own, items),
  });
  const unlockService = createProgramUnlockService({ unlocks, validate, clock: options.clock });
  const personService = createPersonService({
    validate,
    async nameOf(call) {
      const accounts = createAccountStore({ own, clock: options.clock, tenantId: call.actor.tenantId });
      return (await accounts.find(call.actor.principalId, call))?.value.displayName;
    },
  });
  const useService = createItemUseService({
    ...{ operations, validate, origin: options.origin },
    consents: createConsents({ own, clock: options.clock }),
    requests: createConsentRequests(options),
  });
  const routes: Routes = (router) =>
    router
      .service(MemberVaultService, service)
      .service(ProgramUnlockService, unlockService)
      .service(PersonService, personService)
      .service(ItemUseService, useService);
  const listener = createListener(
    { routes, admit, contract: internalContract },
    {
      visibility: Visibility.PRIVATE,
      logger,
      limits,
      logSuccesses,
      tracing,
      unread,
      onRequestEnd,
    },
  );
  return {
    routes,
    handle: listener.handle,
    close() {
      watch.close();
      return listener.close();
    },
  };
}
