import { createPlatformClient } from "@platform/client";

export const client = createPlatformClient({
  baseUrl: "https://api.example.com",
  token: async ({ signal, reason }) => {
    const cache = reason === "rejected" ? "no-store" : "default";
    const response = await fetch("/session/platform-token", { signal, cache });
    const { accessToken, expiresAt } = await response.json();
    return { accessToken, expiresAt: new Date(expiresAt) };
  },
});
