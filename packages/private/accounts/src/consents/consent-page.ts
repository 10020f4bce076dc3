import { nameOfKind } from "@platform-rpc/items/kinds";
import type { SealedItem } from "@platform-rpc/items/vault/open-item";
import type { Item, RegisteredOauthClient } from "@platform-rpc/server/host";
import { html } from "hono/html";
import type { Html, Page } from "../pages/layout.js";
import { registrationInWords } from "../review/review-page.js";
import { unlockLink, vaultName } from "../review/sealed-names.js";
import { timeInWords } from "../review/words.js";
import type { ConsentRequest } from "./consent-request.js";

export interface ShownConsent {
  readonly request: ConsentRequest;
  readonly client: RegisteredOauthClient;
  readonly item: Item;
  /** How long the vault of the item keeps what is deleted. */
  readonly retentionDays: number;
  /** Where the decision is sent. */
  readonly path: string;
}

/** What the page says about a kind of consent. */
interface Words {
  readonly title: string;
  /** What the person must have asked for. */
  readonly asked: string;
  /** What to do otherwise. */
  readonly otherwise: string;
  readonly refuse: string;
  readonly allow: string;
}

const words: Readonly<Record<ConsentRequest["kind"], Words>> = {
  deletion: {
    title: "Delete this item?",
    asked: "your assistant to delete something",
    otherwise: "Then keep the item.",
    refuse: "Keep it",
    allow: "Allow the deletion",
  },
  use: {
    title: "Use the secret of this item?",
    asked: "your agent for something at this website",
    otherwise: "Then do not allow it.",
    refuse: "Do not allow it",
    allow: "Allow it once",
  },
};

/** The page on which a person consents to one act of software with an item. It works without scripts. */
export function consentPage({ request, client, item, retentionDays, path }: ShownConsent): Omit<Page, "signedInAs"> {
  const { name, oauthClientId } = client;
  const shownName = name === "" ? oauthClientId : name;
  const { title, asked, otherwise, refuse, allow } = words[request.kind];
  return {
    title,
    scripts: ["sealed-names"],
    body: html`
      <div class="notice"><p><strong>Continue only if you asked ${asked}, just now.</strong> Did a message or a
        page that you do not know bring you here? ${otherwise}</p></div>
      <dl>
        ${request.kind === "use" ? html`<dt>Website</dt><dd><strong>${request.host}</strong></dd>` : ""}
        <dt>Item</dt><dd><strong data-sealed-item="${JSON.stringify(item satisfies SealedItem)}" dir="auto">Encrypted title</strong>${unlockLink("Unlock to see which item", path)}
          <p class="error" data-unverified hidden>Not verified: neither you nor a program that you have certified has signed it.</p></dd>
        <dt>Kind</dt><dd>${nameOfKind(item.kind)}</dd>
        <dt>Vault</dt><dd>${vaultName(item.vaultId, "Encrypted name")}</dd>
        <dt>Last changed</dt><dd>${timeInWords(item.updatedAt)}</dd>
        <dt>Asked by</dt><dd><strong>${shownName}</strong>, registered ${registrationInWords(client)}</dd>
        ${request.kind === "use" ? html`<dt>Secret</dt><dd>Your broker sends it to the website with any one request of the agent, which does not see it.</dd>` : html`<dt>Undo</dt><dd>${undoInWords(retentionDays)}</dd>`}
      </dl>
      <details><summary>Details</summary>
        <dl>
          <dt>Item</dt><dd><code>${item.itemId}</code>, version ${item.version}</dd>
          <dt>Vault</dt><dd><code>${item.vaultId}</code></dd>
          <dt>Software</dt><dd><code>${oauthClientId}</code></dd>
        </dl>
      </details>
      <form method="post" action="${path}">
        <div class="actions">
          <button name="decision" value="refuse">${refuse}</button>
          <button class="${request.kind === "use" ? "primary" : "danger"}" name="decision" value="allow">${allow}</button>
        </div>
      </form>`,
  };
}

function undoInWords(retentionDays: number): Html | string {
  if (retentionDays === 0)
    return html`<strong>It cannot be restored:</strong> this vault destroys deleted items at once.`;
  return `It can be restored for ${retentionDays} ${retentionDays === 1 ? "day" : "days"}.`;
}

/** What the page says when there is nothing to decide. */
export type ConsentOutcome = "allowed" | "kept" | "invalid" | "other person" | "changed" | "too late";

type OutcomeWords = Readonly<Record<ConsentOutcome, { readonly title: string; readonly words: string }>>;

const ofDeletion: OutcomeWords = {
  allowed: {
    title: "You have allowed the deletion",
    words:
      "Go back to your assistant within 5 minutes, and let it try again. It may delete this version of the item, once.",
  },
  kept: { title: "The item stays", words: "Nothing was deleted. You can close this page." },
  invalid: {
    title: "This link does not work any more",
    words: "A link works for 5 minutes. Let your assistant try again to get a new one.",
  },
  "other person": {
    title: "This link is for another person",
    words: "Sign in as the person who uses the assistant, and open the link again.",
  },
  changed: {
    title: "The item has changed",
    words:
      "It was changed or deleted after your assistant saw it, or you no longer have access to its vault. Ask your assistant to look at it again.",
  },
  "too late": {
    title: "It is too late to keep the item",
    words:
      "It was deleted, or its deletion has started. In its vault, you can restore a deleted item until it is destroyed.",
  },
};

const outcomes: Readonly<Record<ConsentRequest["kind"], OutcomeWords>> = {
  deletion: ofDeletion,
  use: {
    ...ofDeletion,
    allowed: {
      title: "You have allowed this use",
      words: "Let your agent try again within 5 minutes. It may use this version of the item at this website, once.",
    },
    kept: {
      title: "This use is not allowed",
      words: "Nothing is sent because of this page. What was sent before is on the page Activity.",
    },
  },
};

/** Creates the page of an outcome. Pass the request to a person who may see it: the page then leads to the vault of an item that was deleted. */
export function consentOutcomePage(outcome: ConsentOutcome, request?: ConsentRequest): Omit<Page, "signedInAs"> {
  const { title, words } = outcomes[request?.kind ?? "deletion"][outcome];
  const vault =
    outcome === "too late" && request !== undefined
      ? html`<p><a href="/console/vaults/${encodeURIComponent(request.vaultId)}">Open the vault</a></p>`
      : "";
  return { title, body: html`<p role="status">${words}</p>${vault}` };
}
