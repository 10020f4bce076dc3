import { host, isLoopback } from "./setting-values.js";
import type { SettingIssue } from "./settings.js";
import { defaults } from "./settings-schema.js";

/** Returns the conflicts between settings that may each be valid. */
export function conflicts(given: Readonly<Record<string, string | undefined>>): SettingIssue[] {
  const { HOST = defaults.host, INTERNAL_HOST = defaults.host, INTERNAL_EXPOSE, STORAGE_THREAD, WORKERS } = given;
  const { DATABASE_URL } = given;
  const { PORT = defaults.port, INTERNAL_PORT = defaults.internalPort } = given;
  const { AUDIENCE = defaults.audience, BROKER_AUDIENCE = defaults.brokerAudience } = given;
  const issues: SettingIssue[] = [];
  if (HOST === INTERNAL_HOST && Number(PORT) === Number(INTERNAL_PORT) && Number(PORT) !== 0) {
    issues.push({ setting: "INTERNAL_PORT", rule: "must differ from PORT: each listener needs its own port" });
  }
  if (host.safeParse(INTERNAL_HOST).success && !isLoopback(INTERNAL_HOST) && INTERNAL_EXPOSE !== "yes") {
    const rule = "must be a loopback address such as 127.0.0.1, unless INTERNAL_EXPOSE is yes";
    issues.push({ setting: "INTERNAL_HOST", rule });
  }
  if (Number(WORKERS) > 1 && STORAGE_THREAD === "off" && DATABASE_URL === undefined) {
    issues.push({
      setting: "STORAGE_THREAD",
      rule: "must be auto or on if WORKERS is above 1: the workers share its thread",
    });
  }
  if (Number(WORKERS) > 1 && process.platform !== "linux") {
    issues.push({ setting: "WORKERS", rule: "must be 1 on this system: more workers need Linux" });
  }
  if (AUDIENCE === BROKER_AUDIENCE) {
    issues.push({
      setting: "BROKER_AUDIENCE",
      rule: "must differ from AUDIENCE: broker tokens are not valid for this API",
    });
  }
  return issues;
}
