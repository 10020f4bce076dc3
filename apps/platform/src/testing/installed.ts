import { findInstalled } from "@platform-rpc/testbed/files";

export { installedHaproxy as haproxy } from "@platform-rpc/testbed/haproxy";

/** Part of Debian's package prometheus. */
export const promtool = findInstalled("PROMTOOL_PATH", "promtool");
