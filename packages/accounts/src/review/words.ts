/** What a person allows with each scope. */
const words: Readonly<Record<string, string>> = {
  "vault.items:delete":
    "Delete items in the vaults where you may delete. You can restore them while their retention lasts.",
  "vault.items:read":
    "See your vaults and the items in them, deleted ones included, and follow their changes. Contents stay encrypted.",
  "vault.items:restore": "Restore deleted items in the vaults where you may delete, while their retention lasts.",
  "vaults:manage": "Create vaults, and rename and delete vaults that you own.",
  "vault.items:write": "Add items to the vaults where you may delete, and replace them.",
  "identity.device_authorizations:exchange":
    "Collect the answers to requests for access that the same software started.",
};

/** Returns what a scope allows, for the person who is asked to approve it. */
export function scopeInWords(scope: string): string {
  return words[scope] ?? "A permission that this page has no words for. Ask who wrote the software what it is for.";
}

const date = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" });
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** Formats a time, in ms since the epoch, such as `22 November 2026 at 13:50 UTC`. */
export function timeInWords(time: number): string {
  return `${date.format(time)} UTC`;
}

/** Formats the time between two times, in ms since the epoch, such as `2 minutes ago` or `in 8 minutes`. */
export function distanceInWords(time: number, now: number): string {
  const seconds = Math.round((time - now) / 1000);
  return Math.abs(seconds) < 60
    ? relative.format(seconds, "second")
    : relative.format(Math.trunc(seconds / 60), "minute");
}
