import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { createTemporaryFolder, findInstalled } from "@platform-rpc/testbed/files";
import { freePort } from "@platform-rpc/testbed/network";
import { runToEnd, startProgram } from "@platform-rpc/testbed/processes";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { haproxy } from "../../src/testing/installed.js";
import { startTestApp } from "../../src/testing/start-test-app.js";

const page = readFileSync(fileURLToPath(new URL("../../../../docs/operate/install.md", import.meta.url)), "utf8");
const [port, api, accounts, mcp] = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
const app = await startTestApp({
  ...{ PORT: String(api), ACCOUNTS_PORT: String(accounts), MCP_PORT: String(mcp), ACCOUNTS_TENANT: "acme" },
  ...{ ACCOUNTS_URL: "https://accounts.example", MCP_URL: "https://mcp.example" },
});
afterAll(app.end);
const { path: folder, remove } = createTemporaryFolder("proxies");
afterAll(remove);
const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
  (name) => `${name}_temp_path ${folder}/nginx;`,
);

/** The settings before and after the example keep a proxy in its folder. Caddy issues its certificates itself. */
const proxies = [
  {
    installed: findInstalled("NGINX_PATH", "nginx"),
    file: "/etc/nginx/conf.d/platform.conf",
    args: ["-e", "stderr", "-g", `daemon off; master_process off; pid ${folder}/pid;`, "-c"],
    before: `events {}\nhttp { access_log off; ${temporary.join(" ")}`,
    after: "}",
  },
  { installed: haproxy, file: "/etc/haproxy/haproxy.cfg", args: ["-db", "-f"], before: "", after: "" },
  {
    installed: findInstalled("CADDY_PATH", "caddy"),
    file: "/etc/caddy/Caddyfile",
    args: ["run", "--adapter", "caddyfile", "--config"],
    before: `{\nadmin off\nlocal_certs\nskip_install_trust\nauto_https disable_redirects\nhttps_port ${port}\nstorage file_system ${folder}\n}`,
    after: "",
  },
];

/** Sends a request over HTTP/2, without Content-Length. */
async function send(host: string, method: string, path: string, body = ""): Promise<string> {
  const session = connectHttp2(`https://127.0.0.1:${port}`, { servername: host, rejectUnauthorized: false });
  session.on("error", () => {});
  const stream = session.request({ ":authority": host, ":method": method, ":path": path }, { endStream: false });
  stream.end(body);
  const answer = Promise.all([once(stream, "response"), text(stream)]);
  const [[headers], received] = await answer.finally(() => session.destroy());
  return `${Object(headers)[":status"]} ${received}`;
}

for (const { installed, file, args, before, after } of proxies) {
  const title = `${file} of docs/operate/install.md leads each name to its listener${installed.note}`;
  it.skipIf(installed.skip)(title, async () => {
    const [pem, key] = [`${folder}/tls.pem`, `${folder}/tls.key`];
    await runToEnd(["openssl", "req", "-x509", "-nodes", "-subj", "/CN=platform", "-keyout", key, "-out", pem]);
    writeFileSync(pem, readFileSync(key), { flag: "a" });
    const [example = ""] = page.split(`# ${file}\n`)[1]?.split("```") ?? [];
    const config = example
      .replaceAll(
        /10\.0\.0\.20:(\d+)/g,
        (_, given) => `127.0.0.1:${{ 8080: api, 8082: accounts, 8083: mcp }[Number(given)]}`,
      )
      .replace(/(listen |bind :)443/, (_, directive: string) => `${directive.replace(":", "127.0.0.1:")}${port}`)
      .replaceAll("/etc/platform/", `${folder}/`);
    writeFileSync(`${folder}/config`, [before, config, after].join("\n"));
    const proxy = startProgram([installed.path, ...args, `${folder}/config`], { env: { HOME: folder } });

    onTestFinished(async () => void (await proxy.stop("SIGKILL")));
    // A proxy can have the certificate of one name before that of another.
    for (const host of ["api.example", "accounts.example", "mcp.example"]) {
      const ready = () => send(host, "GET", "/readyz").catch((thrown) => `${thrown} ${proxy.err()}`);
      await expect.poll(ready).toMatch(/^200 /);
    }
    const metadata = await send("accounts.example", "GET", "/.well-known/oauth-authorization-server");
    expect(metadata).toContain('"token_endpoint":"https://accounts.example/oauth/token"');
    const tokens = await send("accounts.example", "POST", "/oauth/token", "grant_type=none&client_id=a");
    expect(tokens).toMatch(/^40[01] .*(?:unsupported_grant_type|invalid_client)/);
    expect(await send("mcp.example", "POST", "/mcp", "{}")).toMatch(/^401 .*Send an access token/);
  });
}

const listeners = { public: api, internal: Number(new URL(app.internalUrl).port), accounts, mcp };

/** Sends a head to a listener, and resolves with its response when the connection ends. */
async function sendHead(listenerPort: number, head: string): Promise<string> {
  const socket = connect(listenerPort, "127.0.0.1");
  socket.write(`${head}\r\n\r\n`);
  return text(socket);
}

describe.each(Object.entries(listeners))("the %s listener", (name, listenerPort) => {
  it.each(["GET /healthz", "HEAD /readyz", "OPTIONS /healthz", "OPTIONS /readyz", "OPTIONS /", "OPTIONS *"])(
    "answers a health check with %s in HTTP/1.0, without Host",
    async (line) => expect(await sendHead(listenerPort, `${line} HTTP/1.0`)).toMatch(/^HTTP\/1\.1 20[04] /),
  );

  if (name === "public") return;
  it("says which Host a proxy must set, and sends no browser back to the proxy", async () => {
    const head = "GET /console HTTP/1.1\r\nHost: upstream\r\nSec-Fetch-Dest: document\r\nConnection: close";
    const host = name === "internal" ? "localhost" : `${name}.example`;
    expect(await sendHead(listenerPort, head)).toMatch(new RegExp(`^HTTP/1.1 4(?:04|21) .*set Host to ${host}`, "s"));
  });
});
