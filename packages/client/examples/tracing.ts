import { createPlatformClient } from "@platform/client";
import { openTelemetry } from "@platform/client/otel";

const { PLATFORM_TOKEN = "" } = process.env;
const baseUrl = "https://api.example.com";
export const client = createPlatformClient({ baseUrl, token: PLATFORM_TOKEN, hooks: openTelemetry({ baseUrl }) });
