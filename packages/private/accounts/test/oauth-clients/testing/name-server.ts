import { createSocket } from "node:dgram";
import { once } from "node:events";
import { onTestFinished } from "vitest";

/** A name server on UDP (RFC 1035), for A records. */
export interface NameServer {
  /** Its address, for a resolver. */
  readonly address: string;
  /** Returns the hosts that it was asked for, each once for IPv4 and once for IPv6. */
  asked(): readonly string[];
}

/**
 * Starts a name server on loopback, which ends with the test. A host without addresses does not exist (NXDOMAIN).
 *
 * @param addressesOf returns the IPv4 addresses of a host. Undefined: it never answers.
 */
export async function startNameServer(
  addressesOf: (host: string) => readonly string[] | undefined,
): Promise<NameServer> {
  const asked: string[] = [];
  const socket = createSocket("udp4");
  socket.on("message", (query, { port, address }) => {
    const { host, type, question } = readQuestion(query);
    asked.push(host);
    const addresses = addressesOf(host);
    if (addresses === undefined) return;
    const records = type === 1 ? addresses : [];
    const header = Buffer.alloc(12);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(addresses.length === 0 ? 0x8183 : 0x8180, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(records.length, 6);
    const answers = records.map((ip) =>
      Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...ip.split(".").map(Number)]),
    );
    socket.send(Buffer.concat([header, question, ...answers]), port, address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  onTestFinished(() => {
    socket.close();
  });
  return { address: `127.0.0.1:${socket.address().port}`, asked: () => asked };
}

function readQuestion(query: Buffer): { host: string; type: number; question: Buffer } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { host: labels.join("."), type: query.readUInt16BE(at + 1), question: query.subarray(12, at + 5) };
}
