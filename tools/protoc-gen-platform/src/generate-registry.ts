import { createRegistry, type DescService } from "@bufbuild/protobuf";
import type { Schema } from "@bufbuild/protoplugin";
import { createContractOptions } from "./contract-options.ts";
import { notice } from "./source.ts";

/** The package whose services `@platform-rpc/server` implements. Those of later versions are registered next to it. */
const implemented = "platform.v1";

/**
 * Generates what makes an operation without a rule or a handler a compile-time error: the type of what implements each service, and an
 * import of the rule of each operation. The rule of `DeleteItem` is `deleteItem` in `domain/delete-item.ts`.
 *
 * @param ruleOf the names of rules that differ from those of their operations, by the name of the operation.
 */
export function generateRegistry(schema: Schema, folder: string, ruleOf: ReadonlyMap<string, string>): void {
  const options = createContractOptions(createRegistry(...schema.allFiles));
  const services = schema.files
    .filter(({ proto }) => proto.package === implemented)
    .flatMap((file) => file.services)
    .toSorted((one, two) => (one.name < two.name ? -1 : 1));
  const rules = new Map(
    services
      .flatMap((service) => service.methods)
      .filter((method) => options.operation(method).visibility === "public")
      .map(({ parent, name, localName }) => [`${parent.typeName}/${name}`, ruleOf.get(name) ?? localName]),
  );
  const names = services.map(({ name }) => name).join(", ");
  schema
    .generateFile(`${folder}/registry.ts`)
    .print(
      [
        notice,
        'import type { ConnectRouter, ServiceImpl } from "@connectrpc/connect";',
        `import { ${names} } from "@platform-rpc/types";`,
        ...[...rules.values()].map((rule) => `import type { ${rule} } from "../domain/${fileOf(rule)}.js";`),
        "",
        `/** The services of ${implemented}. */`,
        `export const services = [${names}];`,
        "",
        "/** What implements each service. A service, or one of its operations, that is not implemented does not compile. */",
        "export interface Implementations {",
        ...services.map((service) => `  readonly ${propertyOf(service)}: ServiceImpl<typeof ${service.name}>;`),
        "}",
        "",
        "/** Registers the implementations of all services. */",
        "export function registerServices(router: ConnectRouter, implementations: Implementations): void {",
        ...services.map((service) => `  router.service(${service.name}, implementations.${propertyOf(service)});`),
        "}",
        "",
        "/** The rule of each operation. An operation without a rule in `domain/` does not compile. */",
        "export interface Rules {",
        ...[...rules].map(([operation, rule]) => `  readonly "${operation}": typeof ${rule};`),
        "}",
      ].join("\n"),
    );
}

/** The file of a rule: `delete-item` of `deleteItem`. */
function fileOf(rule: string): string {
  return rule.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function propertyOf({ name }: DescService): string {
  return name.slice(0, 1).toLowerCase() + name.slice(1);
}
