import { Hono } from "hono";
import * as z from "zod";
import { callOf } from "../http/call-of.js";
import type { AccountsEnvironment, AccountsParts } from "../http/environment.js";
import { isoTime, jsonBody, readJson } from "../http/json-body.js";
import { RequestError } from "../http/request-error.js";
import { typedName } from "../people/account.js";
import { isTrusted } from "../people/device.js";
import { nameProblem } from "../people/personal-name.js";
import type { Session } from "../people/session.js";
import { createDeviceStore } from "../sessions/device-store.js";
import { clearBrowser } from "../sessions/session-cookie.js";
import { requireRecentSignIn, requireSession, signedIn } from "../sessions/session-middleware.js";
import { createSessionStore } from "../sessions/session-store.js";
import { type Access, accessKinds, createAccessControl } from "./access.js";

const endBody = jsonBody(z.object({ kind: z.enum(accessKinds), id: z.string().min(1).max(2048) }));
const endAllBody = jsonBody(z.object({ software: z.boolean() }));
const deviceBody = jsonBody(
  z.object({ id: z.string().min(1).max(64), name: typedName.optional(), known: z.literal(true).optional() }),
);
const renameBody = jsonBody(z.object({ id: z.string().min(1).max(2048), name: typedName }));

/**
 * The endpoints that list, end and rename what signs a person in, and what acts for them: the pages "Security" and "Agents & apps" of the
 * vault. Changes require a sign-in within the last 5 minutes.
 */
export function accessApi(parts: AccountsParts): Hono<AccountsEnvironment> {
  const routes = new Hono<AccountsEnvironment>();
  const access = createAccessControl(parts);
  const sessions = createSessionStore(parts);
  const devices = createDeviceStore(parts);
  const recent = requireRecentSignIn(parts);

  routes.get("/account/api/access", requireSession(), async (context) => {
    return context.json(describedAccess(await access.list(context), signedIn(context), parts.clock.now()));
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

  routes.post("/account/api/devices", requireSession(), async (context) => {
    const { id, name, known } = await readJson(context, deviceBody);
    const problem = name === undefined ? undefined : nameProblem(name);
    if (problem !== undefined) throw new RequestError("NAME_NOT_ALLOWED", { message: problem });
    const session = signedIn(context);
    const change = { ...(name !== undefined && { name }), ...(known !== undefined && { known }) };
    await devices.change(session, id, change, callOf(context, "change-device", session));
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
export function describedAccess({ account, sessions, devices }: Access, current: Session, now: number) {
  const deviceOf = (id: string) => devices.find(({ deviceId }) => deviceId === id);
  return {
    recoveryCode: account.recovery !== undefined,
    /** The devices on which somebody has signed in for the first time, and that the person has not said to know. */
    newDevices: devices
      .filter(({ deviceId, known }) => !known && deviceId !== current.deviceId)
      .map(({ deviceId, browser, address, firstSignInAt }) => ({
        id: deviceId,
        device: browser,
        address,
        signedInAt: isoTime(firstSignInAt),
      })),
    sessions: sessions.map(({ sessionId, deviceId, browser, address, how, signedInAt, lastSeenAt }) => ({
      id: sessionId,
      current: sessionId === current.sessionId,
      deviceId,
      /** As the person calls it, or its browser and system. */
      device: deviceOf(deviceId)?.name ?? browser,
      /** Whether devices can be confirmed and renamed there. */
      trusted: isTrusted(deviceOf(deviceId), now),
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
