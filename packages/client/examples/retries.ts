import { createPlatformClient } from "@platform-rpc/client";

const { PLATFORM_TOKEN = "" } = process.env;
export const client = createPlatformClient({
  baseUrl: "https://api.example.com",
  token: PLATFORM_TOKEN,
  timeoutMs: 10_000, // for the token, all attempts and the waits between them
  retry: { maxAttempts: 3, attemptTimeoutMs: 2_000 },
  hooks: {
    onRetry: ({ requestId }, { attempt, error, delayMs }) =>
      console.warn(`${requestId}: attempt ${attempt} failed (${error.reason}), retrying in ${delayMs} ms`),
  },
});
