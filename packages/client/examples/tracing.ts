import { createPlatformClient } from "@platform-rpc/client";
import { openTelemetry } from "@platform-rpc/client/otel";

const { PLATFORM_TOKEN = "" } = process.env;
const baseUrl = "https://api.example.com";
export const client = createPlatformClient({ baseUrl, token: PLATFORM_TOKEN, hooks: openTelemetry({ baseUrl }) });
