// Preloaded into a program: it finds api.github.com at a public address, and what it sends there arrives at a server on this machine.
import { Resolver } from "node:dns/promises";
import { type LookupFunction, Socket, type TcpSocketConnectOpts } from "node:net";

const { API_GITHUB_COM_PORT } = process.env;
const publicAddress = "140.82.121.6";

Object.assign(Resolver.prototype, {
  resolve4: async (host: string) => (host === "api.github.com" ? [publicAddress] : []),
  resolve6: async () => [],
});

/** Looks a host up as the program does, which may refuse its address. */
function redirected(lookup: LookupFunction): LookupFunction {
  return (host, options, done) =>
    lookup(host, options, (error, found, family) => {
      const addresses = Array.isArray(found) ? found.map(({ address }) => address) : [found];
      if (error !== null || !addresses.includes(publicAddress)) return done(error, found, family);
      if (Array.isArray(found)) return done(null, [{ address: "127.0.0.1", family: 4 }]);
      return done(null, "127.0.0.1", 4);
    });
}

const { connect } = Socket.prototype;
Object.assign(Socket.prototype, {
  connect(this: Socket, options: Partial<TcpSocketConnectOpts>, ...rest: unknown[]) {
    const { host, lookup } = options;
    const isDouble = host === "api.github.com" && lookup !== undefined;
    const changed = isDouble && { port: Number(API_GITHUB_COM_PORT), lookup: redirected(lookup) };
    return Reflect.apply(connect, this, [changed ? { ...options, ...changed } : options, ...rest]);
  },
});
