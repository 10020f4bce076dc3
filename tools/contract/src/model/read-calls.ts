import type { DescMethod } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel as Idempotency } from "@bufbuild/protobuf/wkt";
import type { Operation, Package, Service } from "./contract.ts";
import { startOf } from "./finding.ts";
import { readOperationOption, readOption } from "./options.ts";
import { clauses, type Source } from "./source.ts";

/** Returns whether a package is private, such as `platform.internal.v1`: every area of the platform but its options. */
export function isPrivate(name: string): boolean {
  return /^platform\.(?!options\.)[a-z]+\./.test(name);
}

export function readPackages(files: readonly Source[]): readonly Package[] {
  const names = [...new Set(files.map(({ desc }) => desc.proto.package))];
  return names.map((name) => {
    const own = files.filter(({ desc }) => desc.proto.package === name);
    const described = own.find((file) => file.commentAt(clauses.package) !== "") ?? own[0];
    const limited = own.find(({ desc, registry }) => readOption(desc, "limits", registry));
    return {
      name,
      place: described?.placeAt(clauses.package) ?? startOf("proto"),
      comment: described?.commentAt(clauses.package) ?? "",
      deprecated: own.some(({ desc }) => desc.deprecated),
      files: own.map(readFile),
      published: !isPrivate(name),
      limits: limited && readOption(limited.desc, "limits", limited.registry),
      limitPlaces: limited?.optionPlaces(limited.desc, "limits") ?? {},
      requestHeaders: own.flatMap((file) => headersOf(file, "request")),
      responseHeaders: own.flatMap((file) => headersOf(file, "response")),
    };
  });
}

function readFile({ desc, placeAt }: Source): Package["files"][number] {
  return {
    path: `proto/${desc.proto.name}`,
    imports: desc.dependencies.map(({ proto: { name, package: imported } }) => ({
      file: `proto/${name}`,
      package: imported,
      place: placeAt(clauses.imported(desc.proto.dependency.indexOf(name))),
    })),
  };
}

function headersOf({ desc, registry, optionPlaces, placeAt }: Source, kind: "request" | "response") {
  const place = optionPlaces(desc, "headers")[kind] ?? placeAt(clauses.package);
  return (readOption(desc, "headers", registry)?.[kind] ?? []).map((header) => ({ ...header, place }));
}

export function readServices({ desc, documented }: Source): readonly Service[] {
  return desc.services.map((service) => ({
    name: service.typeName,
    package: desc.proto.package,
    ...documented(service),
    operations: service.methods.map(operationName),
  }));
}

export function readOperations(source: Source): readonly Operation[] {
  return source.desc.services.flatMap(({ methods }) => methods.map((method) => readOperation(source, method)));
}

function operationName(method: DescMethod): string {
  return `${method.parent.typeName}/${method.name}`;
}

const idempotency = {
  [Idempotency.IDEMPOTENCY_UNKNOWN]: "unknown",
  [Idempotency.NO_SIDE_EFFECTS]: "no_side_effects",
  [Idempotency.IDEMPOTENT]: "idempotent",
} as const;

function readOperation(source: Source, method: DescMethod): Operation {
  return {
    name: operationName(method),
    package: source.desc.proto.package,
    service: method.parent.typeName,
    method: method.name,
    ...source.documented(method),
    request: method.input.typeName,
    response: method.output.typeName,
    streaming: method.methodKind !== "unary",
    idempotency: idempotency[method.idempotency],
    ...readOperationOption(method, "operation", source.registry),
    ...readOperationOption(method, "call", source.registry),
    optionPlaces: { ...source.optionPlaces(method, "operation"), ...source.optionPlaces(method, "call") },
  };
}
