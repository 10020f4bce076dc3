import type { RegisteredOauthClient } from "@platform-rpc/server/host";
import { html } from "hono/html";
import type { Html, Page } from "../pages/layout.js";
import type { BoundsChoice, BoundsOffer, BoundsProblems, SeenBounds } from "./bounds-choice.js";
import { boundsFields, limitsLine, numberedVault } from "./bounds-fields.js";
import { unlockLink } from "./sealed-names.js";
import { describeScope, inReadingOrder, timeInWords } from "./words.js";

/**
 * What a person is asked to allow, by whatever way the software asks. The buttons are always in the window, so everything that matters fits
 * into the window of a phone above them, and what warns a person comes before what they choose.
 */
export interface Review extends SeenBounds {
  readonly name: string;
  /** Where the form is sent. */
  readonly action: string;
  /** Where the page is opened again. */
  readonly path: string;
  /** What the form contains besides the decision and the selected scopes. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Where the request comes from, or leads to. */
  readonly about: Html;
  /** When to deny. */
  readonly notice: string;
  /** The code that the device must show. */
  readonly code?: string;
  /** The API that the tokens are for, as the person knows it. */
  readonly api: string;
  /** The scopes that the person decides about. */
  readonly scopes: readonly string[];
  /** The scopes that the person has allowed before, which the software keeps. */
  readonly kept?: readonly string[];
  /** Whether the software can renew its tokens. */
  readonly renewable: boolean;
  /** Facts for people who want to know more. The page adds the scopes, and how long the access lasts. */
  readonly details: readonly Fact[];
  /** What the person has answered before. */
  readonly answered?: Answered | undefined;
}

/** An answer that was not accepted. */
export interface Answered {
  /** What is wrong with it. */
  readonly error: string;
  /** The scopes that the person had selected, which stay selected. */
  readonly selected: readonly string[];
  /** The bounds that the person had chosen. */
  readonly choice: BoundsChoice;
  /** What is wrong with them. */
  readonly problems: BoundsProblems;
}

export type Fact = readonly [about: string, fact: Html | string];

/** The page on which a person decides what software may do for them. It works without scripts. */
export function reviewPage(review: Review): Omit<Page, "signedInAs"> {
  const { name, action, path, fields = {}, about, notice, code, api, scopes, kept = [], answered } = review;
  const { offer, bounds, namesOthers, renewable } = review;
  const vaults = offer === undefined ? (bounds?.vaults ?? []) : (offer.vaults ?? []).map(({ vaultId }) => vaultId);
  const details: readonly Fact[] = [
    ...review.details,
    ["Scopes", html`<code>${inReadingOrder([...scopes, ...kept]).join(" ")}</code>`],
    ["Duration", lifeInWords(renewable, offer)],
    ...(vaults.length === 0 ? [] : [["Vaults", vaultIds(vaults)] as const]),
  ];
  const usesVault = [...scopes, ...kept].some((scope) => scope.startsWith("vault."));
  return {
    title: `${name} wants to ${usesVault ? "use your vault" : "act for you"}`,
    scripts: ["sealed-names", "review"],
    body: html`
      <form class="review" method="post" action="${action}" data-path="${path}">
        <p class="meta">${about}</p>
        ${code === undefined ? "" : codeToCompare(code)}
        <p class="notice">${notice}</p>
        ${namesOthers ? html`<p class="notice">${otherVaults}</p>` : ""}
        ${Object.entries(fields).map(([field, value]) => html`<input type="hidden" name="${field}" value="${value}">`)}
        <fieldset>
          <legend>At <code>${api}</code>, it ${kept.length === 0 ? "may" : "may also"}</legend>
          ${answered === undefined ? "" : html`<p class="error" role="alert">${answered.error}</p>`}
          <ul class="card">${inReadingOrder(scopes).map((scope, index) => scopeChoice(scope, index, answered))}</ul>
        </fieldset>
        ${kept.length === 0 ? "" : keptScopes(kept)}
        ${offer === undefined ? limitsLine(bounds) : boundsFields(offer, answered ?? {})}
        ${vaults.length === 0 ? "" : unlockLink("Unlock to see the names of the vaults", path)}
        <p class="hint">${endInWords(renewable, offer)}</p>
        <details><summary>Details</summary>
          <dl>${details.map(factEntry)}</dl>
        </details>
        <div class="actions">
          <button name="decision" value="deny">Deny</button>
          <button class="primary" name="decision" value="approve">Approve</button>
        </div>
      </form>`,
  };
}

function codeToCompare(code: string): Html {
  return html`<p class="shown-code">${code}</p>
        <p class="meta under-code">The device must show this code.</p>`;
}

function vaultIds(ids: readonly string[]): Html {
  return html`<ul class="plain">${ids.map((id, index) => html`<li>${numberedVault(id, index)}: <code>${id}</code></li>`)}</ul>`;
}

function factEntry([subject, fact]: Fact): Html {
  return html`<dt>${subject}</dt><dd>${fact}</dd>`;
}

function scopeChoice(scope: string, index: number, answered: Answered | undefined): Html {
  const id = `scope-${index}`;
  // What the person has cleared must not be allowed by the next click.
  const checked = answered === undefined || answered.selected.includes(scope) ? "checked" : "";
  const { title, more } = describeScope(scope);
  return html`<li class="choice">
    <label for="${id}">${title} <span class="meta">${more}</span></label>
    <input type="checkbox" name="scope" value="${scope}" id="${id}" ${checked}>
  </li>`;
}

function keptScopes(scopes: readonly string[]): Html {
  return html`<p>You have allowed this before, and it stays:</p>
    <ul class="hint">${scopes.map((scope) => html`<li>${describeScope(scope).title}</li>`)}</ul>`;
}

/** Returns when the access ends, and how the person ends it. @param offer the bounds among which they choose the end */
function endInWords(renewable: boolean, offer: BoundsOffer | undefined): string {
  if (renewable && offer !== undefined) return "You can change this, or remove its access, on Agents & apps.";
  return `Its access ends after ${renewable ? "30 days at most" : "15 minutes"}. You can remove it earlier on Agents & apps.`;
}

function lifeInWords(renewable: boolean, offer: BoundsOffer | undefined): string {
  if (!renewable) {
    const end = offer?.requested?.expiresAt;
    return `15 minutes${end === undefined ? "" : `, at the latest until ${timeInWords(end)}`}`;
  }
  return `15 minutes, renewed without asking you ${offer === undefined ? "for up to 30 days" : "until the time that you choose"}`;
}

/** The same for vaults that were deleted, that are those of others, and that do not exist. */
const otherVaults =
  "It names a vault that you do not have: it may be deleted, or its id may be wrong. If you are not sure, choose Deny.";

/** What else warns a person about a client whose name any program can use, if they are offered no limits for it. */
export const anyProgram = " Any program on your computer can use this name, and you cannot limit its access here.";

/** Returns who may use the tokens. */
export function keyInWords(popKeyId: string): Html | string {
  return popKeyId === ""
    ? "None: anyone who has the tokens can use them."
    : html`Only the owner of this key can renew the access: <code>${popKeyId}</code>`;
}

export function registrationInWords({
  registeredAt,
  registeredBy,
}: Pick<RegisteredOauthClient, "registeredAt" | "registeredBy">): string {
  if (registeredAt === 0) return "by an administrator";
  return `by ${registeredBy === "" ? "the platform" : registeredBy}, since ${timeInWords(registeredAt)}`;
}
