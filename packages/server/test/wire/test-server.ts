import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { createServer, type Server } from "node:http";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { afterAll, describe, it } from "vitest";
import { createListener } from "../../src/http/listener.js";
import type { GatedRoutes, Listener, ListenerOptions } from "../../src/http/options.js";

/** How the code under test is served: by its own listener, over TLS, or mounted in a node:http server. */
export type ServedOver = "listen" | "tls" | "handle";

let servedOver: ServedOver = "listen";

/** Selects how all servers that this test file starts from now on are served. */
export function serveTestsOver(over: ServedOver): void {
  servedOver = over;
  afterAll(() => {
    servedOver = "listen";
  });
}

/** A guarantee that not every way of serving has. */
interface Guarantee {
  readonly over: readonly ServedOver[];
  /** Why the other ways do not have it. */
  readonly otherwise: string;
}

export const ownConnections: Guarantee = {
  over: ["listen", "tls"],
  otherwise: "the host manages connections, parse errors and Expect",
};
export const fastHandshakes: Guarantee = { over: ["listen"], otherwise: "hundreds of TLS handshakes take seconds" };
export const smallReads: Guarantee = { over: ["listen"], otherwise: "one record of TLS contains many requests" };

/** Returns whether the way in which this file is served has a guarantee. */
export function has({ over }: Guarantee): boolean {
  return over.includes(servedOver);
}

/** Describes tests of a guarantee. Where it does not apply, they are skipped, and the title says why. */
export function describeWith(guarantee: Guarantee, title: string, tests: () => void): void {
  if (has(guarantee)) describe(title, tests);
  else describe.skip(`${title} (not over ${servedOver}: ${guarantee.otherwise})`, tests);
}

/** Declares one test of a guarantee. Where it does not apply, it is skipped, and the title says why. */
export function itWith(guarantee: Guarantee, title: string, test: () => Promise<void>): void {
  if (has(guarantee)) it(title, test);
  else it.skip(`${title} (not over ${servedOver}: ${guarantee.otherwise})`, test);
}

/** A platform that is served on a free port of 127.0.0.1. */
export interface TestServer {
  readonly listener: Listener;
  readonly port: number;
  readonly url: string;
  /** Opens a connection, from the given local address. */
  connect(localAddress?: string): Socket;
  close(): Promise<void>;
}

/** Serves a platform in the way that `serveTestsOver` has selected. */
export async function startTestServer(platform: GatedRoutes, options: ListenerOptions): Promise<TestServer> {
  const tls = servedOver === "tls" ? selfSigned() : undefined;
  const listener = createListener(platform, { ...options, ...(tls && { tls }) });
  const host = servedOver === "handle" ? createServer(listener.handle) : undefined;
  const port = host === undefined ? (await listener.listen(0, "127.0.0.1")).port : await listenOn(host);
  return {
    listener,
    port,
    url: `${tls === undefined ? "http" : "https"}://127.0.0.1:${port}`,
    connect(localAddress) {
      const target = { port, host: "127.0.0.1", localAddress };
      return tls === undefined ? connect(target) : connectTls({ ...target, ca: tls.cert, servername: "localhost" });
    },
    async close() {
      await listener.close(0);
      if (host !== undefined) await new Promise((resolve) => host.close(resolve).closeAllConnections());
    },
  };
}

/** Listens on a free port of 127.0.0.1, and returns the port. */
export function listenOn(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      if (address === null || typeof address === "string") reject(new TypeError("not listening on a port"));
      else resolve(address.port);
    });
  });
}

/** A DER value (ITU-T X.690). */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: readonly Uint8Array[]) => der(0x30, ...parts);
const oid = (hex: string) => der(0x06, Buffer.from(hex, "hex"));
const commonName = oid("550403");
const ecdsaWithSha256 = sequence(oid("2a8648ce3d040302"));
const utcTime = (time: number) =>
  der(0x17, Buffer.from(`${new Date(time).toISOString().slice(2, 19).replace(/[-T:]/g, "")}Z`));
const day = 24 * 60 * 60 * 1000;

/** Generates a private key and a certificate for `localhost` (RFC 5280) that is valid today. */
function selfSigned(): { readonly key: string; readonly cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = sequence(der(0x31, sequence(commonName, der(0x0c, Buffer.from("localhost")))));
  const toBeSigned = sequence(
    der(0x02, Uint8Array.of(1), randomBytes(8)),
    ecdsaWithSha256,
    name,
    sequence(utcTime(Date.now() - day), utcTime(Date.now() + day)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
  );
  const signature = der(0x03, Uint8Array.of(0), sign("sha256", toBeSigned, privateKey));
  const certificate = sequence(toBeSigned, ecdsaWithSha256, signature).toString("base64");
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${certificate}\n-----END CERTIFICATE-----\n`,
  };
}
