import { describe, expect, it } from "vitest";
import { privateFileProblem, privateFolderProblem, sharingProblem } from "./private-path.js";

const me = 1000;
const other = 1001;

describe("a private file", () => {
  it.each([
    { uid: me, mode: 0o600 },
    { uid: me, mode: 0o100400 },
    { uid: 0, mode: 0o600 },
  ])("is accepted with owner $uid and mode $mode", (stats) => {
    expect(privateFileProblem(stats, "/data/keys.json", me)).toBeUndefined();
  });

  it("is rejected with the command to run when another user owns it", () => {
    expect(privateFileProblem({ uid: other, mode: 0o600 }, "/data/keys.json", me)).toMatch(
      /belongs to user 1001, .* run: chown 1000 \/data\/keys\.json$/,
    );
    expect(privateFileProblem({ uid: other, mode: 0o600 }, "/data/keys.json", 0)).toMatch(/run: chown 0 /);
  });

  it.each([0o640, 0o604, 0o620, 0o602, 0o644, 0o666, 0o610])("is rejected with mode %o", (mode) => {
    const command = /run: chmod 600 '\/it'\\''s data\/keys\.json'$/;
    expect(privateFileProblem({ uid: me, mode }, "/it's data/keys.json", me)).toMatch(command);
    const uid = process.getuid?.() ?? 0;
    expect(`run: ${sharingProblem({ uid, mode }, "/it's data/keys.json")?.command}`).toMatch(command);
  });
});

describe("a private folder", () => {
  it.each([
    { uid: me, mode: 0o700 },
    { uid: me, mode: 0o755 },
    { uid: 0, mode: 0o1777 },
    { uid: me, mode: 0o1770 },
  ])("is accepted with owner $uid and mode $mode", (stats) => {
    expect(privateFolderProblem(stats, "/data", me)).toBeUndefined();
  });

  it.each([0o770, 0o707, 0o777, 0o720, 0o722, 0o702])(
    "is rejected with mode %o, because others may replace files in it",
    (mode) => {
      expect(privateFolderProblem({ uid: me, mode }, "/data", me)).toMatch(/run: chmod go-w \/data$/);
      expect(privateFolderProblem({ uid: 0, mode }, "/data", me)).toMatch(/run: chmod go-w \/data$/);
    },
  );

  it("is rejected when another user owns it, also for root and with the sticky bit", () => {
    for (const user of [me, 0]) {
      expect(privateFolderProblem({ uid: other, mode: 0o1700 }, "/data", user)).toMatch(
        new RegExp(`belongs to user 1001, .* run: chown ${user} /data$`),
      );
    }
  });
});
