import { setTimeout } from "node:timers/promises";
import * as z from "zod";
import type { CallEnd, Journal, RecordedRequest } from "../history/journal.ts";
import type { Admin } from "./admin.ts";
import { fixture, type Target } from "./plan.ts";
import type { Random } from "./random.ts";
import { endOf, endOfForm, hash, tokenIdOf } from "./responses.ts";
import { endOfFailedSend, post, postConnect } from "./send.ts";

const { tenantId, userId, program } = fixture;

/** The client of a sign-in: what it has stored, and makes one call with at a time. */
interface Session {
  readonly sessionId: string;
  readonly refreshToken: string;
  readonly replaced: string | undefined;
  readonly accessToken: string;
}

const codes = z.object({ device_code: z.string(), user_code: z.string() });
const tokens = z.object({ refresh_token: z.string(), access_token: z.string() });

/** Longer than the second within which a revocation takes effect, in milliseconds. */
const revokedMs = 1_200;

/**
 * Creates the action that makes one call with the tokens of a sign-in: a refresh, a call of the API, a revocation, or a second use of a
 * replaced refresh token. A refresh without an answer is repeated, byte for byte, with the next call of this sign-in.
 */
export function createSessionAction(deps: {
  readonly pickTarget: () => Target;
  readonly admin: Admin;
  readonly journal: Journal;
  readonly random: Random;
}): () => Promise<void> {
  const { pickTarget, admin, journal, random } = deps;
  const idle: Session[] = [];

  const form = (path: string, fields: Readonly<Record<string, string>>) =>
    post(`${pickTarget().accountsUrl}${path}`, `${new URLSearchParams({ client_id: program, ...fields })}`, {
      "content-type": "application/x-www-form-urlencoded",
    });
  /** Exchanges a grant for tokens, and returns the session with them. Undefined: there was no answer, or it was rejected. */
  const exchange = async (
    request: RecordedRequest & { on: "session" },
    fields: Readonly<Record<string, string>>,
    replaced?: string,
  ) => {
    let session: Session | undefined;
    const end = await journal.record(request, "", () =>
      form("/oauth/token", fields).then(
        (answer) =>
          endOfForm(answer, (body) => {
            const { refresh_token: refreshToken, access_token: accessToken } = tokens.parse(body);
            session = { sessionId: request.sessionId, refreshToken, replaced, accessToken };
            return { ok: true, token: hash(refreshToken) };
          }),
        endOfFailedSend,
      ),
    );
    return { session, end };
  };
  const start = async (): Promise<Session | undefined> => {
    const answer = await form("/oauth/device_authorization", {}).catch(() => undefined);
    if (answer?.status !== 200) return undefined;
    const { device_code, user_code } = codes.parse(JSON.parse(answer.text));
    const sessionId = hash(device_code);
    const body = { tenantId, principalId: userId, userCode: user_code, scopes: fixture.memberScopes };
    const requestId = crypto.randomUUID();
    await journal.record({ on: "code", codeHash: sessionId, kind: "approve" }, requestId, () =>
      admin
        .post("DeviceAuthorizationService/ApproveDeviceAuthorization", body, requestId)
        .then((approved) => endOf(approved, () => ({ ok: true, status: "approve" })), endOfFailedSend),
    );
    const grant = { grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code };
    return (await exchange({ on: "session", sessionId, kind: "start" }, grant)).session;
  };
  const refresh = async (session: Session, refreshToken: string): Promise<Session | undefined> => {
    const request = {
      on: "session",
      sessionId: session.sessionId,
      kind: "refresh",
      token: hash(refreshToken),
    } as const;
    const fields = { grant_type: "refresh_token", refresh_token: refreshToken };
    const { session: renewed, end } = await exchange(request, fields, refreshToken);
    return "result" in end ? renewed : session;
  };
  const use = ({ sessionId, refreshToken, accessToken }: Session) => {
    const issued = { access: tokenIdOf(accessToken), issuedWith: hash(refreshToken) };
    const requestId = crypto.randomUUID();
    return journal.record(
      { on: "session", sessionId, kind: "use", ...issued },
      requestId,
      async (): Promise<CallEnd> => {
        const url = `${pickTarget().accountsUrl}/platform.accounts.v1.MemberVaultService/ListVaults`;
        const end = await postConnect(url, {}, { token: accessToken, requestId }).then(
          (answer) => endOf(answer, () => ({ ok: true })),
          endOfFailedSend,
        );
        if (!("refused" in end)) return end;
        // Here, a rejected token is a result.
        if (end.refused === "UNAUTHENTICATED") return { result: { ok: false, reason: end.refused } };
        // A cell that is about to serve the tenant may have accepted the token, which counts as its use, before it refused the call.
        return end.refused === "wrong cell" ? { lost: end.refused } : end;
      },
    );
  };
  const revoke = ({ sessionId, refreshToken }: Session) =>
    journal.record({ on: "session", sessionId, kind: "revoke" }, "", () =>
      form("/oauth/revoke", { token: refreshToken }).then(
        (answer) => (answer.status === 200 ? { result: { ok: true } } : endOfForm(answer, () => ({ ok: true }))),
        endOfFailedSend,
      ),
    );
  /** Calls with the tokens of a session that was revoked, or may have been. */
  const tryRevoked = async (session: Session) => {
    await setTimeout(revokedMs);
    await use(session);
    await refresh(session, session.refreshToken);
  };

  return async () => {
    const session = idle.pop() ?? (await start());
    if (session === undefined) return;
    const choice = random.next();
    if (choice < 0.5) await use(session);
    if (choice < 0.9) {
      const renewed = choice < 0.5 ? session : await refresh(session, session.refreshToken);
      if (renewed !== undefined) idle.push(renewed);
    } else if (choice < 0.95 || session.replaced === undefined) {
      await revoke(session);
      await tryRevoked(session);
    } else {
      const repeated = await refresh(session, session.replaced);
      if (repeated === undefined) await tryRevoked(session);
      else idle.push(repeated);
    }
  };
}
