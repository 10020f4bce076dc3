import { findIssuer } from "@platform-rpc/signed-in";
import type { SignedInAt } from "./settings-file.js";

/** The port of the API if nobody has set another one. */
const defaultPort = 8080;

/** A server on the same machine answers at once. */
const timeoutMs = 1_000;

/** Returns the platform that runs on this machine; undefined if there is none. */
export async function findLocalServer(signal: AbortSignal, port = defaultPort): Promise<SignedInAt | undefined> {
  const urls = ["127.0.0.1", "localhost"].map((host) => `http://${host}:${port}`);
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  // Only one of them is the URL that its metadata names.
  const found = await Promise.all(
    urls.map((apiUrl) =>
      findIssuer(apiUrl, limit).then(
        (issuer) => ({ apiUrl, issuer }),
        () => undefined,
      ),
    ),
  );
  return found.find((server) => server !== undefined);
}
