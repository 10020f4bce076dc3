import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel as Idempotency } from "@bufbuild/protobuf/wkt";
import type { Operation, Service } from "./contract.ts";
import { callOption, operationOption, optionNames, readOption } from "./options.ts";
import type { SourceFile } from "./source-file.ts";

/** Reads the services of a file, with their operations. */
export function readServices(file: SourceFile): {
  readonly services: readonly Service[];
  readonly operations: readonly Operation[];
} {
  const { desc, text } = file;
  const services = desc.services.map((service, index): Service => {
    const path = [6, index];
    return {
      name: service.typeName,
      package: desc.proto.package,
      place: text.placeAt(path),
      comment: text.commentAt(path),
      deprecated: service.deprecated,
      operations: service.methods.map(operationName),
    };
  });
  const operations = desc.services.flatMap((service, index) =>
    service.methods.map((method, position) => readOperation(file, service, method, [6, index, 2, position])),
  );
  return { services, operations };
}

function operationName(method: DescMethod): string {
  return `${method.parent.typeName}/${method.name}`;
}

const idempotency = {
  [Idempotency.IDEMPOTENCY_UNKNOWN]: "unknown",
  [Idempotency.NO_SIDE_EFFECTS]: "no_side_effects",
  [Idempotency.IDEMPOTENT]: "idempotent",
} as const;

function readOperation(
  { desc, text, registry }: SourceFile,
  service: DescService,
  method: DescMethod,
  path: readonly number[],
): Operation {
  const options = [...path, 4];
  const operation = readOption(method, optionNames.operation, operationOption, registry) ?? operationOption.parse({});
  const call = readOption(method, optionNames.call, callOption, registry) ?? callOption.parse({});
  return {
    name: operationName(method),
    package: desc.proto.package,
    service: service.typeName,
    method: method.name,
    place: text.placeAt(path),
    comment: text.commentAt(path),
    deprecated: method.deprecated,
    request: method.input.typeName,
    response: method.output.typeName,
    streaming: method.methodKind !== "unary",
    idempotency: idempotency[method.idempotency],
    ...operation,
    deprecation: operation.deprecation,
    errors: call.errors.map(({ reason, when }) => ({ reason, when })),
    rate: call.rate,
    headers: call.headers,
    optionPlaces: {
      ...text.optionPlacesAt(options, registry.getExtension(optionNames.operation)),
      ...text.optionPlacesAt(options, registry.getExtension(optionNames.call)),
    },
  };
}
