import type { Context } from "hono";
import { accepts } from "hono/accepts";
import { html } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";
import { brandName } from "./brand.js";

/** Text that is safe in HTML. `html` escapes every value that is not. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

export interface Page {
  /** What the page is for: the heading, and the title of the tab. */
  readonly title: string;
  readonly body: Html;
  /** The scripts of the page, by the names of their files in `accounts/browser`, such as `sign-in`. */
  readonly scripts?: readonly string[];
  /** Whether the column of the page is narrow: for signing in and signing up. Default: false. */
  readonly narrow?: boolean;
  readonly signedInAs?: string | undefined;
}

export type PageStatus = 200 | 400 | 401 | 403 | 404 | 409 | 410 | 413 | 421 | 429 | 500 | 503;

export function pageResponse(context: Context, page: Page, status: PageStatus = 200) {
  return context.html(layout(page, context.get("recoveryCodeMissing") === true), status);
}

const reminder: Html = html`<aside class="banner" aria-label="Reminder">
      You have not stored a recovery code. If you lose your passkey, you lose your items.
      <a href="/console/security#recovery">Store a recovery code</a>
    </aside>`;

function layout({ title, body, scripts = [], narrow = false, signedInAs }: Page, recoveryCodeMissing: boolean): Html {
  return html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${title} · ${brandName}</title>
    <link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="/assets/style.css">
    ${signedInAs === undefined ? "" : html`<script type="module" src="/assets/session.js"></script>`}
    ${scripts.map((name) => html`<script type="module" src="/assets/${name}.js"></script>`)}
  </head>
  <body${narrow ? html` class="narrow"` : ""}>
    <a class="skip" href="#main">Skip to the content</a>
    <header>
      <a class="brand" href="/"><img src="/assets/icon.svg" alt="" width="24" height="24">${brandName}</a>
      ${signedInAs === undefined ? "" : html`<a href="/console/person" id="signed-in-as">${signedInAs}</a>`}
    </header>
    ${recoveryCodeMissing ? reminder : ""}
    <main id="main" tabindex="-1">
      <h1>${title}</h1>
      ${body}
    </main>
  </body>
</html>
`;
}

/** A page that says why a person cannot continue. */
export interface Message {
  readonly title: string;
  /** What to do, for the person. */
  readonly words: string;
  /** What happened and what to do, for a caller that is not a browser. Default: `words`. */
  readonly text?: string;
  /** For whoever helps the person. */
  readonly support: { readonly reason: string; readonly message?: string | undefined };
}

/** Returns a page with one message, or the message as plain text to a caller that is not a browser. */
export function messagePage(context: Context, status: PageStatus, { title, words, text = words, support }: Message) {
  const supports = ["text/plain", "text/html"];
  const wanted = accepts(context, {
    ...{ header: "Accept", supports, default: "text/plain" },
    // Those with q=0 are excluded.
    match: (given, { default: other }) => given.find(({ type, q }) => q > 0 && supports.includes(type))?.type ?? other,
  });
  if (wanted !== "text/html") return context.text(`${title}. ${text}\n`, status);
  const { reason, message } = support;
  const requestId: string | undefined = context.get("requestId");
  const body = html`
      <p>${words}</p>
      <p><a href="/">Go to the start page</a></p>
      <details><summary>Details for support</summary>
        <dl>
          <dt>Reason</dt><dd><code>${reason}</code></dd>
          ${message === undefined ? "" : html`<dt>Message</dt><dd>${message}</dd>`}
          ${requestId === undefined ? "" : html`<dt>Request id</dt><dd><code>${requestId}</code></dd>`}
        </dl>
      </details>`;
  return pageResponse(context, { title, narrow: true, body }, status);
}
