import { Hono } from "hono";
import * as z from "zod";
import { callOf } from "../http/call-of.js";
import type { AccountsEnvironment, AccountsParts } from "../http/environment.js";
import { isoTime, jsonBody, readJson } from "../http/json-body.js";
import { RequestError } from "../http/request-error.js";
import { typedName } from "../people/account.js";
import { nameProblem } from "../people/personal-name.js";
import { clearBrowser } from "../sessions/session-cookie.js";
import { requireRecentSignIn, requireSession, signedIn } from "../sessions/session-middleware.js";
import { createSessionStore } from "../sessions/session-store.js";
import { type Access, accessKinds, createAccessControl } from "./access.js";

const endBody = jsonBody(z.object({ kind: z.enum(accessKinds), id: z.string().min(1).max(2048) }));
const endAllBody = jsonBody(z.object({ software: z.boolean() }));
const renameBody = jsonBody(z.object({ id: z.string().min(1).max(2048), name: typedName }));

/**
 * The endpoints that list, end and rename what signs a person in, and what acts for them: the pages "Security" and "Agents & apps" of the
 * vault. Changes require a sign-in within the last 5 minutes.
 */
export function accessApi(parts: AccountsParts): Hono<AccountsEnvironment> {
  const routes = new Hono<AccountsEnvironment>();
  const access = createAccessControl(parts);
  const sessions = createSessionStore(parts);
  const recent = requireRecentSignIn(parts);

  routes.get("/account/api/access", requireSession(), async (context) => {
    return context.json(describedAccess(await access.list(context), signedIn(context).sessionId));
  });

  routes.post("/account/api/access/end", recent, async (context) => {
    const body = await readJson(context, endBody);
    await access.end(context, body.kind, body.id);
    return context.json({});
  });

  routes.post("/account/api/access/end-all", recent, async (context) => {
    const body = await readJson(context, endAllBody);
    // Before the sessions: if it fails, the person is still signed in, and can try again.
    if (body.software) await access.endSoftware(context);
    const session = signedIn(context);
    await sessions.endAll(session, callOf(context, "end-sessions", session));
    clearBrowser(context);
    return context.json({});
  });

  routes.post("/account/api/passkeys/rename", recent, async (context) => {
    const body = await readJson(context, renameBody);
    const problem = nameProblem(body.name);
    if (problem !== undefined) throw new RequestError("NAME_NOT_ALLOWED", { message: problem });
    await access.renamePasskey(context, body.id, body.name);
    return context.json({});
  });
  return routes;
}

/** Returns what the page shows. Never a key, or the hash of one. */
export function describedAccess({ account, sessions }: Access, currentSession: string) {
  return {
    recoveryCode: account.recovery !== undefined,
    sessions: sessions.map(({ sessionId, browser, address, how, signedInAt, lastSeenAt }) => ({
      id: sessionId,
      current: sessionId === currentSession,
      browser,
      address,
      how,
      signedInAt: isoTime(signedInAt),
      lastSeenAt: isoTime(lastSeenAt),
    })),
    passkeys: account.passkeys.map(({ id, name, createdAt, lastUsedAt, backedUp, wrappedKeys }) => ({
      id,
      name,
      createdAt: isoTime(createdAt),
      lastUsedAt: isoTime(lastUsedAt),
      synchronized: backedUp,
      unlocksItems: wrappedKeys !== undefined,
    })),
  };
}
