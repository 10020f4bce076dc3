import { createPlatformClient } from "@platform-rpc/client";

export const client = createPlatformClient({
  baseUrl: "https://api.example.com",
  token: async ({ signal, reason }) => {
    const cache = reason === "rejected" ? "no-store" : "default";
    const response = await fetch("/session/platform-token", { signal, cache });
    return await response.json(); // { accessToken, expiresAt }, a date in the form of JSON
  },
});
