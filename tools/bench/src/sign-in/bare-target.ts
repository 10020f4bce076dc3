import { generateKeyPairSync, randomUUID, sign, verify } from "node:crypto";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { serveTarget } from "../load/serve-target.ts";
import { addressOf } from "../platform/start-servers.ts";

// The least that a login is, on bare node:http: one row, in a commit that all requests of a turn share, and the signatures.

/** About as long as the claims of a token, and as the record of a grant. */
const content = "c".repeat(500);
const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const signature = sign(null, Buffer.from(content), privateKey);

/** What is computed for each request, by its path. Returns the texts of the response. */
const work: Readonly<Record<string, () => readonly string[]>> = {
  "/exchange": () => [token(), token()],
  "/refresh": () => [token()],
  "/begin": () => [randomUUID()],
  "/finish": () => [String(verify(null, Buffer.from(content), publicKey, signature))],
};

function token(): string {
  return `${content}.${sign(null, Buffer.from(content), privateKey).toString("base64url")}`;
}

const database = new DatabaseSync(join(tmpdir(), "bench.sqlite"));
database.exec(`
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  CREATE TABLE logins (id INTEGER PRIMARY KEY, value TEXT NOT NULL) STRICT;
`);
const insert = database.prepare("INSERT INTO logins (value) VALUES (?)");
let waiting: (() => void)[] = [];

function commit(): void {
  const answers = waiting;
  waiting = [];
  database.exec("BEGIN IMMEDIATE");
  for (const _ of answers) insert.run(content);
  database.exec("COMMIT");
  for (const answer of answers) answer();
}

const server = createServer((request, response) => {
  let text = "";
  request.setEncoding("utf8");
  request.on("data", (chunk: string) => {
    text += chunk;
  });
  request.on("end", () => {
    JSON.parse(text);
    const answer = () => {
      const body = JSON.stringify(work[request.url ?? ""]?.());
      response.writeHead(200, ["Content-Type", "application/json", "Content-Length", String(Buffer.byteLength(body))]);
      response.end(body);
    };
    if (waiting.push(answer) === 1) setImmediate(commit);
  });
});
server.listen(0, "127.0.0.1", () => serveTarget(addressOf(server.address()).port));
