import dns from "node:dns";

// Importing this module connects names below `localhost` to this machine, as browsers do (RFC 6761 section 6.3). Node looks them up, so the
// programs of the platform must not need them.
const { lookup } = dns;
const { lookup: lookUp } = dns.promises;
const addressOf = (name: string) => (name.endsWith(".localhost") ? "127.0.0.1" : name);

Object.assign(dns, {
  lookup: Object.assign(
    (name: string, ...rest: unknown[]) => Reflect.apply(lookup, dns, [addressOf(name), ...rest]),
    lookup,
  ),
});
Object.assign(dns.promises, {
  lookup: (name: string, ...rest: unknown[]) => Reflect.apply(lookUp, dns.promises, [addressOf(name), ...rest]),
});
