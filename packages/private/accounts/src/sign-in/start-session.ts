import { randomBytes } from "node:crypto";
import type { Call } from "@platform-rpc/server";
import type { Context } from "hono";
import { clientAddress } from "../http/client-address.js";
import type { AccountsEnvironment, AccountsParts } from "../http/environment.js";
import type { Account } from "../people/account.js";
import { rememberedSeconds } from "../people/device.js";
import type { Session } from "../people/session.js";
import { browserName } from "../sessions/browser-name.js";
import { createDeviceStore } from "../sessions/device-store.js";
import { readSecret, setSecret } from "../sessions/session-cookie.js";
import type { SessionStore } from "../sessions/session-store.js";

/**
 * Starts a session for a person who has proved who they are, with a new cookie, and ends the one that the browser had. A cookie that
 * somebody else put into the browser therefore never belongs to a session of this person. The caller writes it in one step with the
 * sign-in, and then sets the cookie.
 */
export async function startSession(
  context: Context<AccountsEnvironment>,
  { parts, sessions }: { readonly parts: SignInParts; readonly sessions: SessionStore },
  { accountId: principalId, displayName }: Pick<Account, "accountId" | "displayName">,
  how: Session["how"],
  call: Call,
) {
  const { tenantId } = parts;
  const devices = createDeviceStore(parts);
  const address = clientAddress(context, parts);
  const browser = browserName(context.req.header("User-Agent"));
  const signedIn = { tenantId, principalId, displayName, how, address, browser };
  const cookie = readSecret(context, "device") ?? randomBytes(32).toString("base64url");
  const { deviceId, puts, isNew } = await devices.signIn(cookie, signedIn, call);
  const event = `signed in with ${how}: ${browser}${isNew ? ", for the first time" : ""}`;
  const started = await sessions.start({ ...signedIn, deviceId }, event, context.get("session"), call);
  setSecret(context, "device", cookie, rememberedSeconds);
  return { ...started, together: { ...started.together, puts: [...puts, ...started.together.puts] } };
}

export type SignInParts = Pick<AccountsParts, "tenantId" | "addressHeader" | "own" | "clock">;
