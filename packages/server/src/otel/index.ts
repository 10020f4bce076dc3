export type { OpenTelemetryOptions } from "./open-telemetry.js";
export { openTelemetry } from "./open-telemetry.js";
