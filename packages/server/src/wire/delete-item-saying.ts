import {
  clone,
  create,
  createFileRegistry,
  type DescMethod,
  type DescMethodUnary,
  setExtension,
} from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema, MethodOptionsSchema } from "@bufbuild/protobuf/wkt";
import {
  type Deprecation,
  file_platform_v1_vault_service,
  OperationOptionsSchema,
  operation,
  RetrySafety,
  VaultService,
  Visibility,
} from "@platform-rpc/types";

/** What the contract says of an operation. */
export interface Said {
  readonly visibility?: Visibility;
  readonly requiredScopes?: string[];
  readonly retrySafety?: RetrySafety;
  readonly deprecation?: Pick<Deprecation, "deprecatedOn" | "sunsetOn">;
}

/** All that it must say. */
export const complete: Said = {
  visibility: Visibility.PUBLIC,
  requiredScopes: ["vault.items:delete"],
  retrySafety: RetrySafety.IDEMPOTENT,
};

/** DeleteItem, as if the contract said something else of it. */
export function deleteItemSaying(said: Said | undefined, deprecated = false): DescMethodUnary {
  const file = clone(FileDescriptorProtoSchema, file_platform_v1_vault_service.proto);
  const options = create(MethodOptionsSchema, { deprecated });
  if (said !== undefined) setExtension(options, operation, create(OperationOptionsSchema, said));
  for (const { method } of file.service) for (const each of method) each.options = options;
  const imports = new Map(
    file_platform_v1_vault_service.dependencies.map((dependency) => [dependency.proto.name, dependency]),
  );
  const method = createFileRegistry(file, (name) => imports.get(name)).getService(VaultService.typeName)?.methods[0];
  if (method === undefined || !isUnary(method)) throw new TypeError("DeleteItem is gone");
  return method;
}

function isUnary(method: DescMethod): method is DescMethodUnary {
  return method.methodKind === "unary";
}
