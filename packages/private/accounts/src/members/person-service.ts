import type { ServiceImpl } from "@connectrpc/connect";
import type { Call } from "@platform-rpc/server";
import { handle, type RequestValidator } from "@platform-rpc/server/host";
import type { GetPersonRequest, PersonService } from "@platform-rpc/types-internal/accounts";
import { rpcErrorOf } from "../contract/private-contract.js";
import { commandLineClientId } from "../oauth-clients/first-party-clients.js";

interface PersonServiceDeps {
  /** Returns the name of the caller. Undefined: there is no account. */
  readonly nameOf: (call: Call) => Promise<string | undefined>;
  readonly validate: RequestValidator;
}

/** Implements PersonService: the command line says who has signed in. No other software gets the name. */
export function createPersonService({ nameOf, validate }: PersonServiceDeps): ServiceImpl<typeof PersonService> {
  return {
    getPerson: handle({
      validate,
      error: rpcErrorOf("platform.accounts.v1.PersonService/GetPerson"),
      async run(_: GetPersonRequest, call) {
        const isPersons = call.actor.oauthClientId === commandLineClientId;
        return { displayName: (isPersons && (await nameOf(call))) || "" };
      },
      answer: ({ displayName }) => ({ displayName }),
    }),
  };
}
