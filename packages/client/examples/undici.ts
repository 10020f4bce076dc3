import { createPlatformClient } from "@platform-rpc/client";
import { createUndiciFetch } from "@platform-rpc/client/undici";

const { PLATFORM_TOKEN = "" } = process.env;
const baseUrl = "https://api.example.com";
export const client = createPlatformClient({ baseUrl, token: PLATFORM_TOKEN, fetch: createUndiciFetch() });
