// The time-outs bound a test that hangs. They say nothing about speed: a slow or busy machine is not a failure.
const timeout = 180_000;

module.exports = {
  test: {
    // The files of docs/extending.md are tested in a copy of this workspace.
    exclude: ["**/node_modules/**", "**/.git/**", "**/dist/**", "docs/extending/**"],
    testTimeout: timeout,
    hookTimeout: timeout,
    teardownTimeout: timeout,
    expect: { poll: { timeout: timeout / 3 } },
    allowOnly: false,
    globalSetup: "tools/check/src/temporary-folders.ts",
  },
};
