import { describe, expect, it } from "vitest";
import { faultOfPrivateFile, faultOfPrivateFolder } from "./private-path.js";

const me = 1000;
const other = 1001;

describe("a file with secrets", () => {
  it.each([
    { uid: me, mode: 0o600 },
    { uid: me, mode: 0o100400 },
    { uid: 0, mode: 0o600 },
  ])("of user $uid with mode $mode may be used", (stats) => {
    expect(faultOfPrivateFile(stats, "/data/keys.json", me)).toBeUndefined();
  });

  it("of another user, or open to others, is refused with what to run", () => {
    expect(faultOfPrivateFile({ uid: other, mode: 0o600 }, "/data/keys.json", me)).toMatch(
      /belongs to user 1001, .* run: chown 1000 \/data\/keys\.json$/,
    );
    expect(faultOfPrivateFile({ uid: other, mode: 0o600 }, "/data/keys.json", 0)).toMatch(/run: chown 0 /);
    expect(faultOfPrivateFile({ uid: me, mode: 0o640 }, "/it's data/keys.json", me)).toMatch(
      /run: chmod 600 '\/it'\\''s data\/keys\.json'$/,
    );
  });
});

describe("a folder with secrets", () => {
  it.each([
    { uid: me, mode: 0o700 },
    { uid: me, mode: 0o755 },
    { uid: 0, mode: 0o755 },
    { uid: 0, mode: 0o1777 },
    { uid: me, mode: 0o1770 },
  ])("of user $uid with mode $mode may be used", (stats) => {
    expect(faultOfPrivateFolder(stats, "/data", me)).toBeUndefined();
  });

  it.each([0o770, 0o707, 0o777, 0o720, 0o702])("with mode %o is refused: others may replace files in it", (mode) => {
    expect(faultOfPrivateFolder({ uid: me, mode }, "/data", me)).toMatch(/run: chmod go-w \/data$/);
    expect(faultOfPrivateFolder({ uid: 0, mode }, "/data", me)).toMatch(/run: chmod go-w \/data$/);
  });

  it("of another user is refused, also for root and with the sticky bit", () => {
    for (const user of [me, 0]) {
      expect(faultOfPrivateFolder({ uid: other, mode: 0o1700 }, "/data", user)).toMatch(
        new RegExp(`belongs to user 1001, .* run: chown ${user} /data$`),
      );
    }
  });
});
