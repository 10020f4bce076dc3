// The time-outs bound a test that hangs. They say nothing about speed: a slow or busy machine is not a failure.
const timeout = 180_000;

module.exports = {
  test: {
    exclude: ["**/node_modules/**", "**/.git/**", "**/dist/**"],
    testTimeout: timeout,
    hookTimeout: timeout,
    teardownTimeout: timeout,
    expect: { poll: { timeout: timeout / 3 } },
    allowOnly: false,
    globalSetup: "tools/check/src/temporary-folders.ts",
  },
};
