import { html } from "hono/html";
import type { Html, Page } from "../pages/layout.js";
import { vaultPath } from "../sessions/sign-in-path.js";

export type DeviceOutcome =
  | "approved"
  | "approved before"
  | "denied"
  | "expired"
  | "used"
  | "not possible"
  | "account disabled";

const agentsLink: Html = html`<a href="${vaultPath}/agents">Agents &amp; apps</a>`;

const outcomes: Readonly<Record<DeviceOutcome, { readonly title: string; readonly words: Html | string }>> = {
  approved: {
    title: "Approved",
    words: html`Go back to the device: it continues by itself within a few seconds. What it may do is on ${agentsLink}, where you can also take it back.`,
  },
  "approved before": {
    title: "It was already approved",
    words: html`It was approved in another window or on another device, before you chose Deny. To take that back, remove its access on ${agentsLink}.`,
  },
  denied: { title: "Denied", words: "The device gets no access. You can close this page." },
  expired: {
    title: "The code has expired",
    words: "A code is valid for 10 minutes. Start again on the device to get a new one.",
  },
  used: {
    title: "The code was used already",
    words: html`Each code works once. If you did not approve it yourself, remove the access of software that you do not know on ${agentsLink}.`,
  },
  "not possible": {
    title: "Access was not possible",
    words:
      "The request was approved, but nothing could be granted. Start again on the device, or ask your administrator.",
  },
  "account disabled": {
    title: "Your account is disabled",
    words: "Ask your administrator to enable it, then start again on the device.",
  },
};

export function outcomePage(outcome: DeviceOutcome): Omit<Page, "signedInAs"> {
  const { title, words } = outcomes[outcome];
  return { title, body: html`<p role="status">${words}</p>` };
}

export function codePage(given: {
  readonly code: string;
  readonly error?: string | undefined;
}): Omit<Page, "signedInAs"> {
  const { code, error } = given;
  const described = error === undefined ? "code-hint" : "code-error code-hint";
  return {
    title: "Connect a device",
    scripts: ["device"],
    body: html`
      <p>Software that wants to act for you shows you a code. Enter it here, to see what the software asks for.</p>
      <form method="post" action="/device">
        <label for="user_code">Code on the device</label>
        <p class="hint" id="code-hint">8 letters, such as WDJB-MJHT. Capitals, spaces and the hyphen do not matter.</p>
        ${error === undefined ? "" : html`<p class="error" id="code-error" role="alert">${error}</p>`}
        <input class="code" type="text" id="user_code" name="user_code" value="${code}" required maxlength="64" autofocus
          placeholder="····-····" autocomplete="off" autocapitalize="characters" spellcheck="false" aria-describedby="${described}"
          ${error === undefined ? "" : html`aria-invalid="true"`}>
        ${code === "" || error !== undefined ? "" : confirmHint}
        <div class="actions"><button class="primary">Continue</button></div>
      </form>`,
  };
}

const confirmHint: Html = html`<p class="hint">Check that the device shows the same code. If it does not, do not continue.</p>`;
