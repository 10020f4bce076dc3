import { execFile } from "node:child_process";
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
// The built package, which the example imports too.
import { createMemoryKeyStore, createPlatform, createSqliteStorage } from "@platform-rpc/server";
import { describe, expect, it, onTestFinished } from "vitest";
import { createListenerWithNotes } from "../../examples/own-service.js";
import { seeder, tokenNames } from "./start-platform.js";

const workspace = fileURLToPath(new URL("../../../..", import.meta.url));
const server = join(workspace, "packages/server");
const readme = readFileSync(join(server, "README.md"), "utf8");
const read = (path: string) => readFileSync(path, "utf8");

describe("the service of README.md", () => {
  it("is generated as the page says", async () => {
    const folder = mkdtempSync(join(tmpdir(), "own-service-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const [, template = ""] = /^```yaml\n(.*?)```/ms.exec(readme) ?? [];
    const proto = read(join(server, "examples/notes.proto"));
    expect(readme).toContain(`\`\`\`proto\n${proto}\`\`\``);
    const options = "proto/platform/options/v1";
    mkdirSync(join(folder, options), { recursive: true });
    cpSync(join(workspace, options, "operation.proto"), join(folder, options, "operation.proto"));
    writeFileSync(join(folder, "proto/notes.proto"), proto);
    writeFileSync(join(folder, "buf.gen.yaml"), template);
    const programs = join(workspace, "node_modules/.bin");
    const { PATH = "" } = process.env;
    const env = { ...process.env, PATH: `${programs}${delimiter}${PATH}` };
    await promisify(execFile)(join(programs, "buf"), ["generate"], { cwd: folder, env });
    const generated = globSync("**/*.*", { cwd: join(folder, "gen") });
    expect(generated).toContain("notes_pb.js");
    for (const path of generated) {
      expect(read(join(server, "examples/gen", path))).toBe(read(join(folder, "gen", path)));
    }
  });

  it("is served next to the platform's, behind the same gate", async () => {
    const storage = createSqliteStorage({ path: ":memory:" });
    const platform = await createPlatform({ storage, keys: createMemoryKeyStore(), ...tokenNames });
    const listener = createListenerWithNotes(platform, { logger: { info: () => {}, error: () => {} } });
    onTestFinished(async () => {
      await listener.close();
      await storage.close();
    });
    const { port } = await listener.listen(0, "127.0.0.1");
    const { own } = platform;
    const person = { tenantId: "t-1", principalId: "p-1" };
    const allowedOperations = ["notes.v1.NoteService/AddNote", "platform.v1.VaultService/DeleteItem"];
    const program = { tenantId: "t-1", oauthClientId: "c-1" };
    await own.setPrincipal({ ...person, active: true }, seeder);
    await own.setOauthClient({ ...program, name: "Notes", allowedOperations, enabled: true }, seeder);
    const call = async (operation: string, scopes: readonly string[]) => {
      const token = await own.issueAccessToken({ ...person, ...program, scopes, lifeSeconds: 0 }, seeder);
      const response = await fetch(`http://127.0.0.1:${port}/${operation}`, {
        method: "POST",
        headers: {
          Authorization: `Bearer ${token.accessToken}`,
          "Content-Type": "application/json",
          "Connect-Protocol-Version": "1",
        },
        body: '{"text":"Hello"}',
      });
      return [response.status, await response.json()];
    };
    const [addNote = "", deleteItem = ""] = allowedOperations;
    expect(await call(addNote, ["notes:write"])).toEqual([200, { count: 1 }]);
    expect(await call(addNote, ["notes:write"])).toEqual([200, { count: 2 }]);
    expect(await call(addNote, ["notes:read"])).toMatchObject([403, { code: "permission_denied" }]);
    expect(await call(deleteItem, ["notes:write"])).toMatchObject([403, { code: "permission_denied" }]);
  });
});
