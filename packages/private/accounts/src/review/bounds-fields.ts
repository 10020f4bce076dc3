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
  const { requested, vaults, mostDeletions, mostUses, choosesEnd } = offer;
  const fields = [
    ...(mostDeletions === undefined ? [] : [countField("deletions", mostDeletions, choice, problems.deletions)]),
    ...(mostUses === undefined ? [] : [countField("uses", mostUses, choice, problems.uses)]),
    ...(choosesEnd ? [untilField(offer, choice, problems.until)] : []),
  ];
  return html`
    ${vaults === undefined ? "" : vaultsField(offer, vaults, choice, problems.vaults)}
    ${requested?.actions === undefined ? "" : html`<p class="meta">${actionsInWords(requested.actions)}</p>`}
    ${fields.length === 0 ? "" : html`<div class="fields">${fields}</div>`}
    ${hintsOf(offer)}
    ${mostUses === undefined ? "" : useFields(choice, problems.hosts)}`;
}

function vaultsField(
  { requested, moreVaults }: BoundsOffer,
  listed: NonNullable<BoundsOffer["vaults"]>,
  { vaults: chosen }: BoundsChoice,
  problem: string | undefined,
): Html {
  const named = requested?.vaults !== undefined;
  const hints = [
    named && listed.length > 0 && "It can use no others.",
    listed.length === 0 &&
      (named
        ? "The software asks only for vaults that you do not have, so it can use none."
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

const countLabels = { deletions: "Deletions at most", uses: "Uses at most" } as const;

function countField(
  name: keyof typeof countLabels,
  most: number,
  choice: BoundsChoice,
  problem: string | undefined,
): Html {
  return html`<div>
      <label for="${name}">${countLabels[name]}</label>
      <input type="number" id="${name}" name="${name}" value="${choice[name]}" min="0" max="${most}" step="1" required
        aria-describedby="${describedBy(name, problem)}" ${invalid(problem)}>
      ${errorOf(problem, `${name}-error`)}
    </div>`;
}

/** Where secrets may be used, and whether the person is asked. */
function useFields({ hosts, asksEachTime }: BoundsChoice, problem: string | undefined): Html {
  return html`<ul class="card">
      <li class="choice">
        <label for="asks">Ask me each time <span class="meta">Before each use, you open a page and allow it.</span></label>
        <input type="checkbox" name="asks" value="each time" id="asks" ${asksEachTime ? "checked" : ""}>
      </li>
    </ul>
    <details ${hosts !== "" || problem !== undefined ? "open" : ""}><summary>Only at some websites</summary>
      <div class="fields"><div>
        <label for="hosts">Hosts, one on each line</label>
        <textarea id="hosts" name="hosts" rows="2" spellcheck="false" autocapitalize="none"
          aria-describedby="${describedBy("hosts", problem)}" ${invalid(problem)}>${hosts}</textarea>
        ${errorOf(problem, "hosts-error")}
        <p class="hint" id="hosts-hint">Such as api.example.com. Empty: all websites of the items for which the software asks.</p>
      </div></div>
    </details>`;
}

function untilField({ latestEnd }: BoundsOffer, { until }: BoundsChoice, problem: string | undefined): Html {
  return html`<div>
      <label for="until">Until (UTC)</label>
      <input type="datetime-local" id="until" name="until" value="${until}" max="${minuteOf(latestEnd)}" required
        aria-describedby="${describedBy("until", problem)}" ${invalid(problem)}>
      ${errorOf(problem, "until-error")}
    </div>`;
}

function hintsOf({ mostDeletions, mostUses, choosesEnd, latestEnd }: BoundsOffer): Html | string {
  const hints = [
    ...(mostDeletions === undefined
      ? []
      : [html`<span id="deletions-hint">An item that is restored still counts.</span> `]),
    ...(mostUses === undefined ? [] : [html`<span id="uses-hint">Each request with a secret counts.</span> `]),
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
  use: "use secrets without seeing them",
};

function actionsInWords(actions: readonly VaultAction[]): string {
  return `The software limits itself to this: ${actions.map((action) => actionWords[action]).join(", ")}.`;
}

/** Shows one of several vaults. Only their numbers tell them apart before the script names them. */
export function numberedVault(vaultId: string, index: number): Html {
  return vaultName(vaultId, `Vault ${index + 1}`);
}

/** Says what limits the software for a person who is offered no bounds: only what it asks for itself. */
export function limitsLine({ vaults, actions, maxDeletions, maxUses, hosts, expiresAt }: Bounds = {}): Html {
  const limits = [
    vaults?.length === 0 && "It can use none of your vaults. ",
    vaults !== undefined &&
      vaults.length > 0 &&
      html`Only in these vaults: ${vaults.map((id, index) => html`${index === 0 ? "" : ", "}${numberedVault(id, index)}`)}. `,
    actions && `${actionsInWords(actions)} `,
    maxDeletions !== undefined && `At most ${maxDeletions} deletions. `,
    maxUses !== undefined && `At most ${maxUses} uses. `,
    hosts && `Only at ${hosts.join(", ")}. `,
    expiresAt !== undefined && `Until ${timeInWords(expiresAt)}.`,
  ].filter((limit) => limit !== undefined && limit !== false);
  return limits.length === 0
    ? html`<p class="meta"><strong>Limits: none.</strong> It may do everything that you allow above, in all your vaults.</p>`
    : html`<p class="meta"><strong>Limits:</strong> ${limits}</p>`;
}
