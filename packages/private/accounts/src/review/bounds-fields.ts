import { type Bounds, mostVaults, type VaultAction } from "@platform-rpc/server/host";
import { html } from "hono/html";
import type { Html } from "../pages/layout.js";
import {
  type BoundsChoice,
  type BoundsOffer,
  type BoundsProblems,
  minuteOf,
  mostListedVaults,
} from "./bounds-choice.js";
import { vaultName } from "./sealed-names.js";
import { timeInWords } from "./words.js";

/** The number of vaults that are listed without unfolding them. */
const mostUnfolded = 3;

export function boundsFields(
  offer: BoundsOffer,
  { choice = offer.proposed, problems = {} }: { readonly choice?: BoundsChoice; readonly problems?: BoundsProblems },
): Html {
  const { requested, vaults, mostDeletions, choosesEnd } = offer;
  const fields = [
    ...(mostDeletions === undefined ? [] : [deletionsField(mostDeletions, choice, problems.deletions)]),
    ...(choosesEnd ? [untilField(offer, choice, problems.until)] : []),
  ];
  return html`
    ${vaults === undefined ? "" : vaultsField(offer, vaults, choice, problems.vaults)}
    ${requested?.actions === undefined ? "" : html`<p class="meta">${actionsInWords(requested.actions)}</p>`}
    ${fields.length === 0 ? "" : html`<div class="fields">${fields}</div>`}
    ${hintsOf(offer)}`;
}

function vaultsField(
  { requested, moreVaults }: BoundsOffer,
  listed: NonNullable<BoundsOffer["vaults"]>,
  { vaults: chosen }: BoundsChoice,
  problem: string | undefined,
): Html {
  const named = requested?.vaults !== undefined;
  const hints = [
    named && listed.length > 0 && "The software asks for no others.",
    listed.length === 0 &&
      (named
        ? "The software asks only for vaults of which you are not a member, so it can use none."
        : "You are not a member of any vault, so it can use none."),
    listed.length > mostVaults && `You have more than ${mostVaults} vaults: choose up to ${mostVaults}.`,
    moreVaults && `Only the first ${mostListedVaults} are listed.`,
  ].filter((hint) => typeof hint === "string");
  const choices = listed.map(({ vaultId, role }, index) => {
    const id = `vault-${index}`;
    return html`<li class="choice">
      <label for="${id}">${numberedVault(vaultId, index)} <span class="meta">${role}</span></label>
      <input type="checkbox" name="vault" value="${vaultId}" id="${id}" ${chosen.includes(vaultId) ? "checked" : ""}
        ${index === 0 ? invalidWith(problem, "vaults-error") : ""}>
    </li>`;
  });
  const list = html`<ul class="plain vaults">${choices}</ul>`;
  const unfolded = problem !== undefined || !listed.every(({ vaultId }) => chosen.includes(vaultId));
  return html`<fieldset>
    <legend>In these vaults</legend>
    ${hints.map((hint) => html`<p class="hint">${hint}</p>`)}
    ${errorOf(problem, "vaults-error")}
    ${choices.length > mostUnfolded ? html`<details ${unfolded ? "open" : ""}><summary>${choices.length} vaults</summary>${list}</details>` : ""}
    ${choices.length > 0 && choices.length <= mostUnfolded ? list : ""}
  </fieldset>`;
}

function deletionsField(most: number, { deletions }: BoundsChoice, problem: string | undefined): Html {
  return html`<div>
      <label for="deletions">Deletions at most</label>
      <input type="number" id="deletions" name="deletions" value="${deletions}" min="0" max="${most}" step="1" required
        aria-describedby="${describedBy("deletions", problem)}" ${invalid(problem)}>
      ${errorOf(problem, "deletions-error")}
    </div>`;
}

function untilField({ latestEnd }: BoundsOffer, { until }: BoundsChoice, problem: string | undefined): Html {
  return html`<div>
      <label for="until">Until (UTC)</label>
      <input type="datetime-local" id="until" name="until" value="${until}" max="${minuteOf(latestEnd)}" required
        aria-describedby="${describedBy("until", problem)}" ${invalid(problem)}>
      ${errorOf(problem, "until-error")}
    </div>`;
}

function hintsOf({ mostDeletions, choosesEnd, latestEnd }: BoundsOffer): Html | string {
  const hints = [
    ...(mostDeletions === undefined
      ? []
      : [html`<span id="deletions-hint">An item that is restored still counts.</span> `]),
    ...(choosesEnd ? [html`<span id="until-hint">At the latest ${timeInWords(latestEnd)}.</span>`] : []),
  ];
  return hints.length === 0 ? "" : html`<p class="hint">${hints}</p>`;
}

function errorOf(problem: string | undefined, id: string): Html | string {
  return problem === undefined ? "" : html`<p class="error" id="${id}">${problem}</p>`;
}

function describedBy(field: string, problem: string | undefined): string {
  return problem === undefined ? `${field}-hint` : `${field}-error ${field}-hint`;
}

/** The attributes of a field with a problem: the page opens at it. */
function invalid(problem: string | undefined): Html | string {
  return problem === undefined ? "" : html`aria-invalid="true" autofocus`;
}

function invalidWith(problem: string | undefined, error: string): Html | string {
  return problem === undefined ? "" : html`aria-describedby="${error}" aria-invalid="true" autofocus`;
}

const actionWords: Readonly<Record<VaultAction, string>> = {
  read: "see items",
  write: "add and replace items",
  delete: "delete items",
  restore: "restore items",
};

function actionsInWords(actions: readonly VaultAction[]): string {
  return `The software limits itself to this: ${actions.map((action) => actionWords[action]).join(", ")}.`;
}

/** Shows one of several vaults. Only their numbers tell them apart before the script names them. */
export function numberedVault(vaultId: string, index: number): Html {
  return vaultName(vaultId, `Vault ${index + 1}`);
}

/** Says what limits the software for a person who is offered no bounds: only what it asks for itself. */
export function limitsLine({ vaults, actions, maxDeletions, expiresAt }: Bounds = {}): Html {
  const limits = [
    vaults &&
      html`Only in these vaults: ${vaults.map((id, index) => html`${index === 0 ? "" : ", "}${numberedVault(id, index)}`)}. `,
    actions && `${actionsInWords(actions)} `,
    maxDeletions !== undefined && `At most ${maxDeletions} deletions. `,
    expiresAt !== undefined && `Until ${timeInWords(expiresAt)}.`,
  ].filter((limit) => limit !== undefined && limit !== false);
  return limits.length === 0
    ? html`<p class="meta"><strong>Limits: none.</strong> It may do everything that you allow above, in all your vaults.</p>`
    : html`<p class="meta"><strong>Limits:</strong> ${limits}</p>`;
}
