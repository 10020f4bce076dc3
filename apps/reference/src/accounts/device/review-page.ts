import { networkOf } from "@platform-rpc/front";
import type { GetDeviceAuthorizationOutcome } from "@platform-rpc/server";
import { html } from "hono/html";
import type { Html, Page } from "../pages/layout.js";
import type { DeviceStart } from "./device-start.js";
import { scopeInWords } from "./scope-words.js";
import { distanceInWords, timeInWords } from "./time-words.js";

/** A pending device authorization, and what is known of its start. */
export interface Review {
  readonly found: Extract<GetDeviceAuthorizationOutcome, { ok: true }>;
  /** The code as the device shows it. */
  readonly userCode: string;
  readonly start: DeviceStart | undefined;
  /** The host of the API that the tokens are for. */
  readonly apiHost: string;
  /** The network address of the browser. */
  readonly browserAddress: string;
  readonly now: number;
  /** What is wrong with the answer of the person. */
  readonly error?: string | undefined;
}

/** The page on which a person decides: it shows who asks, for what, from where, and the code again. */
export function reviewPage(review: Review): Omit<Page, "signedInAs"> {
  const { authorization } = review.found;
  return {
    title: `Allow ${nameOf(review)}?`,
    body: html`
      <div class="notice">
        <p><strong>Continue only if you started this yourself, just now.</strong> Did somebody send you this code, or ask you
          to open this page? Then deny: anyone who has the device could act in your name.</p>
      </div>
      <p>The device must show this code:</p>
      <p class="shown-code">${review.userCode}</p>
      <form method="post" action="/device/decision">
        <input type="hidden" name="user_code" value="${review.userCode}">
        <fieldset>
          <legend>At <code>${review.apiHost}</code>, it asks to</legend>
          ${review.error === undefined ? "" : html`<p class="error" role="alert">${review.error}</p>`}
          <ul class="plain">${authorization.requestedScopes.map(scopeChoice)}</ul>
        </fieldset>
        ${facts(review)}
        <div class="actions">
          <button name="decision" value="deny">Deny</button>
          <button name="decision" value="approve">Approve</button>
        </div>
      </form>`,
  };
}

function nameOf({ found }: Review): string {
  return found.oauthClientName === "" ? found.authorization.oauthClientId : found.oauthClientName;
}

function scopeChoice(scope: string, index: number): Html {
  const id = `scope-${index}`;
  return html`<li class="choice">
    <input type="checkbox" name="scope" value="${scope}" id="${id}" checked>
    <label for="${id}">${scopeInWords(scope)} <code>${scope}</code></label>
  </li>`;
}

function facts({ found, start, apiHost, browserAddress, now }: Review): Html {
  const { authorization, oauthClientRegisteredAt, oauthClientRegisteredBy } = found;
  const registered =
    oauthClientRegisteredAt === 0
      ? "by an administrator"
      : `by ${oauthClientRegisteredBy === "" ? "the platform" : oauthClientRegisteredBy}, since ${timeInWords(oauthClientRegisteredAt)}`;
  return html`<dl>
    <dt>Access to</dt>
    <dd><code>${apiHost}</code>. If the device names another address, deny.</dd>
    <dt>Software</dt>
    <dd><code>${authorization.oauthClientId}</code>, registered ${registered}</dd>
    <dt>How long</dt>
    <dd>${
      start?.renewable === true
        ? "15 minutes, renewed without asking you for up to 30 days. You can end it on your account page."
        : "15 minutes"
    }</dd>
    <dt>Started</dt>
    <dd>${distanceInWords(authorization.createdAt, now)} (${timeInWords(authorization.createdAt)})${network(start, browserAddress)}</dd>
    <dt>Key</dt>
    <dd>${
      authorization.popKeyId === ""
        ? "None: anyone who has the tokens can use them."
        : html`Only the owner of this key can renew the access: <code>${authorization.popKeyId}</code>`
    }</dd>
  </dl>`;
}

function network(start: DeviceStart | undefined, browserAddress: string): string {
  if (start === undefined) return "";
  const same = networkOf(start.address) === networkOf(browserAddress);
  return same
    ? `, from the network of this browser, ${start.address}`
    : `, from another network than this browser's: ${start.address}`;
}
