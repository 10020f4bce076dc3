import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createFileSessionStore } from "./index.js";

async function setUp() {
  const parent = await mkdtemp(join(tmpdir(), "session-"));
  onTestFinished(() => rm(parent, { recursive: true }));
  const folder = join(parent, "platform");
  const path = join(folder, "session.json");
  const keyPair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]);
  const session = {
    issuer: "https://accounts.example",
    resource: "https://api.example",
    clientId: "cli",
    refreshToken: "refresh-1",
    scopes: ["vault.items:read"],
    accessToken: "access-1",
    expiresAt: "2026-11-22T14:00:00.000Z",
    keyPair,
  };
  return { folder, path, session, store: createFileSessionStore(path) };
}

describe("the file of a session", () => {
  it("keeps a session with its key", async () => {
    const { store, session } = await setUp();
    expect(await store.load()).toBeUndefined();
    await store.save(session);
    const { keyPair, ...loaded } = (await store.load()) ?? expect.unreachable();
    const { keyPair: saved, ...rest } = session;
    expect(loaded).toEqual(rest);
    const data = new TextEncoder().encode("data");
    const ecdsa = { name: "ECDSA", hash: "SHA-256" };
    const signature = await crypto.subtle.sign(ecdsa, keyPair.privateKey, data);
    expect(await crypto.subtle.verify(ecdsa, saved.publicKey, signature, data)).toBe(true);
  });

  it("is readable only by its owner, also after it was replaced, and leaves no other file", async () => {
    const { store, folder, path, session } = await setUp();
    await store.save(session);
    await store.save({ ...session, refreshToken: "refresh-2" });
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(["session.json"]);
    expect(await readFile(path, "utf8")).not.toContain("refresh-1");
  });

  it("leaves no copy behind when it cannot be replaced", async () => {
    const { store, folder, path, session } = await setUp();
    await mkdir(path, { recursive: true });
    await expect(store.save(session)).rejects.toMatchObject({ syscall: "rename" });
    expect(await readdir(folder)).toEqual(["session.json"]);
  });

  it("is removed, once or twice", async () => {
    const { store, session } = await setUp();
    await store.save(session);
    await store.remove();
    await store.remove();
    expect(await store.load()).toBeUndefined();
  });

  it.each(["{", "null", '{"refreshToken":1}'])(
    "with the content %j is reported without its content",
    async (content) => {
      const { store, path, session } = await setUp();
      await store.save(session);
      await writeFile(path, content);
      await expect(store.load()).rejects.toThrow(`${path} is not a session file. Delete it, then log in again.`);
    },
  );

  it("with a damaged key is reported without the key", async () => {
    const { store, path, session } = await setUp();
    await store.save(session);
    const { key, ...others } = JSON.parse(await readFile(path, "utf8"));
    for (const damaged of [undefined, { ...key, d: "AAAA" }, { ...key, crv: "P-384" }, { ...key, d: undefined }]) {
      await writeFile(path, JSON.stringify({ ...others, key: damaged }));
      await expect(store.load()).rejects.toThrow(`${path} is not a session file. Delete it, then log in again.`);
    }
  });

  it.each([0o604, 0o640])("with the mode %o is refused with the command that repairs it", async (mode) => {
    const { store, path, session } = await setUp();
    await store.save(session);
    await chmod(path, mode);
    await expect(store.load()).rejects.toThrow(
      `${path} can be used by other users (mode 0${mode.toString(8)}), who may have copied it. Log in again after: chmod 600 ${path}`,
    );
    await chmod(path, 0o600);
    expect(await store.load()).toMatchObject({ refreshToken: "refresh-1" });
  });

  it("of another user is refused, also one that only that user can read", async () => {
    const { store, path, session } = await setUp();
    await store.save(session);
    const { uid } = await stat(path);
    const getuid = vi.spyOn(process, "getuid").mockReturnValue(uid + 1);
    onTestFinished(() => getuid.mockRestore());
    await expect(store.load()).rejects.toThrow(
      `${path} belongs to another user (uid ${uid}). Log in again after: rm ${path}`,
    );
  });

  it("that cannot be read is not taken for a missing one", async () => {
    const { folder, path, store, session } = await setUp();
    await store.save(session);
    const below = createFileSessionStore(join(path, "below"));
    await expect(below.load()).rejects.toMatchObject({ code: "ENOTDIR" });
    expect(await readdir(folder)).toEqual(["session.json"]);
  });
});
