import { networkOf } from "@platform-rpc/front";
import type { GetDeviceAuthorizationOutcome } from "@platform-rpc/server/host";
import { html } from "hono/html";
import type { Html } from "../pages/layout.js";
import type { SeenBounds } from "../review/bounds-choice.js";
import { type Answered, anyProgram, keyInWords, type Review, registrationInWords } from "../review/review-page.js";
import { distanceInWords, timeInWords } from "../review/words.js";
import type { DeviceStart } from "./device-start.js";
import { pathOfCode } from "./typed-code.js";

/** A pending device authorization, and what is known of its start. */
export interface DeviceReview extends SeenBounds {
  readonly found: Extract<GetDeviceAuthorizationOutcome, { ok: true }>;
  /** The code as the device shows it. */
  readonly userCode: string;
  /** The id of the person who sees the page. */
  readonly person: string;
  readonly start: DeviceStart | undefined;
  /** The host of the API that the tokens are for. */
  readonly apiHost: string;
  readonly browserAddress: string;
  readonly now: number;
  /** An answer of the person that cannot be accepted. */
  readonly answered?: Answered | undefined;
}

export function reviewOfDevice({
  found,
  userCode,
  person,
  start,
  apiHost,
  browserAddress,
  now,
  offer,
  bounds,
  namesOthers,
  answered,
}: DeviceReview): Review {
  const { authorization, oauthClientName, oauthClientRegisteredAt, oauthClientRegisteredBy } = found;
  const { oauthClientId, createdAt, popKeyId, requestedScopes } = authorization;
  const registered = registrationInWords({
    registeredAt: oauthClientRegisteredAt,
    registeredBy: oauthClientRegisteredBy,
  });
  return {
    name: oauthClientName === "" ? oauthClientId : oauthClientName,
    action: "/device/decision",
    path: pathOfCode(userCode),
    fields: { user_code: userCode, person },
    about: html`Started <time datetime="${new Date(createdAt).toISOString()}" title="${timeInWords(createdAt)}">${distanceInWords(createdAt, now)}</time>${deviceInWords(start)}${networkInWords(start, browserAddress)}`,
    notice: `Approve only if you started this yourself, just now. If somebody sent you this code, choose Deny.${offer === undefined ? anyProgram : ""}`,
    code: userCode,
    api: apiHost,
    scopes: requestedScopes,
    offer,
    bounds,
    namesOthers,
    renewable: start?.renewable === true,
    details: [
      ["Software", html`<code>${oauthClientId}</code>, registered ${registered}`],
      ["Address", html`<code>${apiHost}</code>. If the device names another address, choose Deny.`],
      ["Key", keyInWords(popKeyId)],
      ...(start === undefined ? [] : [["Network", start.address] as const]),
    ],
    answered,
  };
}

function deviceInWords(start: DeviceStart | undefined): Html | string {
  return start?.name === undefined ? "" : html` by a device that calls itself “<strong>${start.name}</strong>”,`;
}

function networkInWords(start: DeviceStart | undefined, browserAddress: string): Html | string {
  if (start === undefined) return ".";
  const same = networkOf(start.address) === networkOf(browserAddress);
  return same ? " on the network of this browser." : html` <strong>on another network</strong>: ${start.address}.`;
}
