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

export interface ContractOptions {
  readonly visibility?: Visibility;
  readonly requiredScopes?: string[];
  readonly retrySafety?: RetrySafety;
  readonly deprecation?: Pick<Deprecation, "deprecatedOn" | "sunsetOn">;
}

/** Options that set everything an operation requires. */
export const completeOptions: ContractOptions = {
  visibility: Visibility.PUBLIC,
  requiredScopes: ["vault.items:delete"],
  retrySafety: RetrySafety.IDEMPOTENT,
};

/** Returns the descriptor of DeleteItem with other options; undefined removes its options. */
export function deleteItemWithOptions(init: ContractOptions | undefined, deprecated = false): DescMethodUnary {
  const file = clone(FileDescriptorProtoSchema, file_platform_v1_vault_service.proto);
  const options = create(MethodOptionsSchema, { deprecated });
  if (init !== undefined) setExtension(options, operation, create(OperationOptionsSchema, init));
  const deleteItem = file.service.flatMap(({ method }) => method).find(({ name }) => name === "DeleteItem");
  if (deleteItem !== undefined) deleteItem.options = options;
  const imports = new Map(
    file_platform_v1_vault_service.dependencies.map((dependency) => [dependency.proto.name, dependency]),
  );
  const service = createFileRegistry(file, (name) => imports.get(name)).getService(VaultService.typeName);
  const method = service?.methods.find(({ name }) => name === "DeleteItem");
  if (method === undefined || !isUnary(method)) throw new TypeError("the contract has no unary DeleteItem");
  return method;
}

function isUnary(method: DescMethod): method is DescMethodUnary {
  return method.methodKind === "unary";
}
