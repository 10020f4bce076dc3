import { type FileRegistry, getOption } from "@bufbuild/protobuf";
import { call } from "../gen/platform/options/v1/operation_pb.js";
import type { Rate } from "../ports/rate-limiter.js";

/** Reads the default rates of a contract's operations. An operation without one is not in the result. */
export function readRates(registry: FileRegistry): Readonly<Record<string, Rate>> {
  const services = [...registry].filter((type) => type.kind === "service");
  return Object.fromEntries(
    services
      .flatMap((service) => service.methods)
      .flatMap((method) => {
        const { rate } = getOption(method, call);
        if (rate === undefined) return [];
        const { perMinute, burst } = rate;
        return [[`${method.parent.typeName}/${method.name}`, { perMinute, burst }]] as const;
      }),
  );
}
