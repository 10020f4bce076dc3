/** What stands in place of a text that repeats a secret. No request id: it has spaces. */
const withheld = "[withheld: it repeats a secret of the call]";

/** The text, unless it repeats a secret: a server, or a proxy, may repeat what it was sent. */
export function withhold(text: string, secrets: ReadonlySet<string>): string {
  return [...secrets].some((secret) => secret !== "" && text.includes(secret)) ? withheld : text;
}

/** The values in a request that must stay secret: the contract has one, the device code. */
export function secretsIn(request: object): readonly string[] {
  return "deviceCode" in request && typeof request.deviceCode === "string" ? [request.deviceCode] : [];
}
