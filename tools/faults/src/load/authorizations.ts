import type { PlatformClient } from "@platform-rpc/client/json";
import * as z from "zod";
import type { CallEnd, Journal } from "../history/journal.ts";
import type { Admin } from "./admin.ts";
import { createItemWith } from "./items.ts";
import { fixture, type Target } from "./plan.ts";
import type { Random } from "./random.ts";
import { endOf, hash, lookResult } from "./responses.ts";
import { createRecordedClient, endOfFailedSend, noKey } from "./send.ts";

const { tenantId, userId, agent, scopes } = fixture;

/** How users answer: most approve, and sometimes two answers race. */
const answers = [["approve"], ["approve"], ["approve"], ["approve", "deny"], ["deny"]] as const;
/** How many deletions a delegation allows, and how many items are deleted with it at the same time. */
const [allowedDeletions, attemptedDeletions] = [4, 12];

const startedCodes = z.object({ deviceCode: z.string(), userCode: z.string() });
type StartedCodes = z.infer<typeof startedCodes>;

async function startAuthorization(admin: Admin): Promise<StartedCodes> {
  const body = { tenantId, oauthClientId: agent.oauthClientId, scopes };
  return startedCodes.parse(await admin.succeed("DeviceAuthorizationService/StartDeviceAuthorization", body));
}

function createDecide({ admin, journal }: { readonly admin: Admin; readonly journal: Journal }) {
  return async (
    { deviceCode, userCode }: StartedCodes,
    kind: "approve" | "deny",
    bounds?: { readonly maxDeletions: number },
  ): Promise<CallEnd> => {
    const [name, more] = kind === "approve" ? ["Approve", { scopes, ...(bounds && { bounds }) }] : ["Deny", {}];
    const operation = `DeviceAuthorizationService/${name}DeviceAuthorization`;
    const body = { tenantId, principalId: userId, userCode, ...more };
    const requestId = crypto.randomUUID();
    return journal.record({ on: "code", codeHash: hash(deviceCode), kind }, requestId, () =>
      admin
        .post(operation, body, requestId)
        .then((answer) => endOf(answer, () => ({ ok: true, status: kind })), endOfFailedSend),
    );
  };
}

export function createAuthorizationAction(deps: {
  readonly client: PlatformClient;
  readonly stranger: PlatformClient;
  readonly admin: Admin;
  readonly journal: Journal;
  readonly random: Random;
}): () => Promise<void> {
  const { client, stranger, admin, journal, random } = deps;

  const decide = createDecide({ admin, journal });

  const look = (codeHash: string, userCode: string) => {
    const body = { tenantId, principalId: userId, userCode };
    const requestId = crypto.randomUUID();
    return journal.record({ on: "code", codeHash, kind: "look" }, requestId, () =>
      admin
        .post("DeviceAuthorizationService/GetDeviceAuthorization", body, requestId)
        .then((answer) => endOf(answer, lookResult), endOfFailedSend),
    );
  };
  /** A token id does not say which cell has issued it. Another cell remembers it as that of another issuer, and succeeds too. */
  const revoke = (codeHash: string, tokenId: string) => {
    const requestId = crypto.randomUUID();
    return journal.record({ on: "code", codeHash, kind: "revoke" }, requestId, () =>
      admin.postToAll("AccessAdminService/RevokeToken", { tokenId }, requestId).then(
        (answers): CallEnd => {
          const failed = answers.find(({ status }) => status !== 200);
          if (failed === undefined) return { result: { ok: true, status: "revoke" } };
          return { lost: `one of ${answers.length} answers: ${failed.status}` };
          // An earlier process may have answered.
        },
        (): CallEnd => ({ lost: "one process did not answer" }),
      ),
    );
  };
  const exchange = (deviceCode: string, idempotencyKey: string) =>
    client.identityGateway.exchangeMcpOauthDeviceAuthorization(
      { deviceCode },
      // Only a call with a key is safe to retry.
      { idempotencyKey, ...(idempotencyKey === noKey && { retry: false }) },
    );

  return async () => {
    const codes = await startAuthorization(admin);
    const { deviceCode, userCode } = codes;
    const codeHash = hash(deviceCode);
    const keys = [crypto.randomUUID(), crypto.randomUUID(), noKey] as const;
    const exchanges = () =>
      Array.from({ length: 1 + random.below(3) }, () => exchange(deviceCode, random.pick(keys)).catch(() => undefined));
    const early = random.chance(0.2) ? exchanges() : [];
    const answered = random.pick(answers).map((kind) => decide(codes, kind));
    if (random.chance(0.7)) await Promise.all(answered);
    const looked = look(codeHash, userCode);
    const granted = await Promise.all([...exchanges(), ...early]);
    await Promise.all([...answered, looked]);
    const tokens = granted.find((each) => each?.status === "approved")?.brokerToken;
    if (tokens !== undefined && random.chance(0.3)) {
      await revoke(codeHash, tokens.tokenId);
    }
    if (random.chance(0.2))
      await stranger.identityGateway.exchangeMcpOauthDeviceAuthorization({ deviceCode }).catch(() => 0);
    await Promise.all(exchanges());
  };
}

/** Creates the action in which software deletes more items at the same time than its approval allows, some of them twice. */
export function createDelegatedDeletionsAction(deps: {
  readonly client: PlatformClient;
  readonly admin: Admin;
  readonly journal: Journal;
  readonly random: Random;
  readonly pickTarget: () => Target;
}): () => Promise<void> {
  const { client, admin, journal, random, pickTarget } = deps;
  const decide = createDecide({ admin, journal });
  const createItem = createItemWith({ admin, journal });

  return async () => {
    const codes = await startAuthorization(admin);
    await decide(codes, "approve", { maxDeletions: allowedDeletions });
    const { deviceCode } = codes;
    const { accessToken } = await client.identityGateway.exchangeMcpOauthDeviceAuthorization({ deviceCode });
    // Deletions in one vault wait for each other. Those in two share only the delegation.
    const requests = Array.from({ length: attemptedDeletions }, () => ({
      ...{ vaultId: random.pick(fixture.budgetVaults), itemId: crypto.randomUUID(), baseVersion: 1 },
    }));
    await Promise.allSettled(requests.map(({ vaultId, itemId }) => createItem(vaultId, itemId)));
    const delegation = hash(deviceCode);
    const software = createRecordedClient({ journal, pickTarget, own: true, token: () => accessToken, delegation });
    const remove = (request: (typeof requests)[number]) => software.vault.deleteItem(request).catch(() => undefined);
    const calls = requests.flatMap((request) => (random.chance(0.5) ? [request, request] : [request]));
    await Promise.all(calls.map(remove));
    // The budget is used now: deletions that succeeded are repeated, and all others are rejected.
    await Promise.all(requests.map(remove));
  };
}
