import type { Bounds, RegisteredOauthClient } from "@platform-rpc/server/host";
import { html } from "hono/html";
import type { Html, Page } from "../pages/layout.js";
import type { BoundsChoice, BoundsOffer, BoundsProblems } from "./bounds-choice.js";
import { boundsFields, limitsLine } from "./bounds-fields.js";
import { scopeInWords, timeInWords } from "./words.js";

/**
 * What a person is asked to allow, by whatever way the software asks. The buttons are always in the window, so what warns a person comes
 * before what they choose.
 */
export interface Review {
  /** The name of the software. */
  readonly name: string;
  /** Where the form is sent. */
  readonly action: string;
  /** What the form contains besides the decision and the selected scopes. */
  readonly fields?: Readonly<Record<string, string>>;
  /** What the person must know first. */
  readonly notice: Html;
  /** What the person compares, such as a code. */
  readonly compare?: Html;
  /** The API that the tokens are for, as the person knows it. */
  readonly api: string;
  /** The scopes that the person decides about. */
  readonly scopes: readonly string[];
  /** The scopes that the person has allowed before, which the software keeps. */
  readonly kept?: readonly string[];
  /** The bounds that the person can choose. Undefined: none are offered. */
  readonly offer: BoundsOffer | undefined;
  /** What the software limits itself to. */
  readonly bounds: Bounds | undefined;
  readonly facts: readonly Fact[];
  /** Facts for people who want to know more. */
  readonly details: readonly Fact[];
  /** What the person has answered before. */
  readonly answered?: Answered | undefined;
}

/** An answer that was not accepted. */
export interface Answered {
  /** What is wrong with it. Undefined: nothing, but the person had to sign in. */
  readonly error: string | undefined;
  /** The scopes that the person had selected, which stay selected. */
  readonly selected: readonly string[];
  /** The bounds that the person had chosen. Default: those that are proposed. */
  readonly choice?: BoundsChoice;
  /** What is wrong with them. Default: nothing. */
  readonly problems?: BoundsProblems;
}

/** A fact that helps to decide, and what it is about. */
export type Fact = readonly [about: string, fact: Html | string];

/** The page on which a person decides what software may do for them. It works without scripts. */
export function reviewPage(review: Review): Omit<Page, "signedInAs"> {
  const { name, action, fields = {}, notice, compare = "", api, scopes, kept = [], answered } = review;
  const { offer, bounds, facts, details } = review;
  return {
    title: `Allow ${name}?`,
    body: html`
      <form class="review" method="post" action="${action}">
        <div class="notice">${notice}</div>
        ${compare}
        ${Object.entries(fields).map(([field, value]) => html`<input type="hidden" name="${field}" value="${value}">`)}
        <dl>${facts.map(factEntry)}</dl>
        <fieldset>
          <legend>At <code>${api}</code>, it asks ${kept.length === 0 ? "to" : "also to"}</legend>
          ${answered?.error === undefined ? "" : html`<p class="error" role="alert">${answered.error}</p>`}
          <ul class="plain">${scopes.map((scope, index) => scopeChoice(scope, index, answered))}</ul>
        </fieldset>
        ${kept.length === 0 ? "" : keptScopes(kept)}
        ${offer === undefined ? limitsLine(bounds) : boundsFields(offer, answered ?? {})}
        <details><summary>Details: ${details.map(([about]) => about.toLowerCase()).join(", ")}</summary>
          <dl>${details.map(factEntry)}</dl>
        </details>
        <div class="actions">
          <button name="decision" value="deny">Deny</button>
          <button name="decision" value="approve">Approve</button>
        </div>
      </form>`,
  };
}

function factEntry([about, fact]: Fact): Html {
  return html`<dt>${about}</dt><dd>${fact}</dd>`;
}

function scopeChoice(scope: string, index: number, answered: Answered | undefined): Html {
  const id = `scope-${index}`;
  // What the person has cleared must not be allowed by the next click.
  const checked = answered === undefined || answered.selected.includes(scope) ? "checked" : "";
  return html`<li class="choice">
    <input type="checkbox" name="scope" value="${scope}" id="${id}" ${checked}>
    <label for="${id}">${scopeInWords(scope)} <code>${scope}</code></label>
  </li>`;
}

function keptScopes(scopes: readonly string[]): Html {
  return html`<p>You have allowed this before, and it stays:</p>
    <ul class="hint">${scopes.map((scope) => html`<li>${scopeInWords(scope)}</li>`)}</ul>`;
}

/** Returns how long the software may act for the person. @param offer the bounds among which the person chooses the end */
export function lifeInWords(renewable: boolean, offer: BoundsOffer | undefined): string {
  if (!renewable) {
    const end = offer?.requested?.expiresAt;
    return `15 minutes${end === undefined ? "" : `, at the latest until ${timeInWords(end)}`}`;
  }
  const renewed = `15 minutes, renewed without asking you ${offer === undefined ? "for up to 30 days" : "until the time that you choose below"}.`;
  return `${renewed} You can end it on Agents & apps.`;
}

/** Returns who may use the tokens. */
export function keyInWords(popKeyId: string): Html | string {
  return popKeyId === ""
    ? "None: anyone who has the tokens can use them."
    : html`Only the owner of this key can renew the access: <code>${popKeyId}</code>`;
}

/** Returns by whom a client was registered, and since when. */
export function registrationInWords({
  registeredAt,
  registeredBy,
}: Pick<RegisteredOauthClient, "registeredAt" | "registeredBy">): string {
  if (registeredAt === 0) return "by an administrator";
  return `by ${registeredBy === "" ? "the platform" : registeredBy}, since ${timeInWords(registeredAt)}`;
}
