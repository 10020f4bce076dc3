import {
  create,
  createFileRegistry,
  type DescField,
  type DescMessage,
  fromBinary,
  fromJson,
  getExtension,
  isMessage,
  setExtension,
  toBinary,
} from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { type FileDescriptorSet, FileDescriptorSetSchema, ServiceOptionsSchema } from "@bufbuild/protobuf/wkt";
import { expect, it } from "vitest";
import { compare } from "../compare/compare.ts";
import { publishedImage, readImage } from "../model/read-image.ts";
import { contractAt, workspaceRoot } from "../testing/contract-copy.ts";
import { factsOf } from "./facts.ts";

const contract = await contractAt(workspaceRoot);
const image = publishedImage(contract.image);
const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, image));

/** Returns what can have an option in the first version of the contract. The last reasons are first: not every operation lists them. */
function optionedIn({ file }: FileDescriptorSet) {
  const own = file.filter((each) => each.package === "platform.v1");
  const fields = own.flatMap(({ messageType }) => messageType.flatMap(({ field }) => field));
  const methods = own.flatMap(({ service }) => service.flatMap(({ method }) => method));
  const values = own.flatMap(({ enumType }) => enumType.flatMap(({ value }) => value)).reverse();
  return [...fields, ...methods, ...values, ...own];
}

function pathsIn({ fields }: DescMessage): readonly (readonly DescField[])[] {
  return fields.flatMap((field) =>
    field.message === undefined ? [[field]] : pathsIn(field.message).map((path) => [field, ...path]),
  );
}

/** Gives a field another value. Returns false if it is in a list without entries. */
function alter(message: ReflectMessage, [field, ...path]: readonly DescField[]): boolean {
  if (field?.fieldKind === "message") {
    const inner = message.get(field);
    const isAltered = alter(inner, path);
    message.set(field, inner);
    return isAltered;
  }
  if (field?.fieldKind === "list") {
    const list = message.get(field);
    if (field.listKind !== "message") list.add(`more-${list.size}`);
    const first = list.get(0);
    return field.listKind !== "message" || (isReflected(first) && alter(first, path));
  }
  if (field === undefined || field.fieldKind === "map") return false;
  const value: unknown = message.get(field);
  if (field.fieldKind === "enum") message.set(field, (Number(value) % (field.enum.values.length - 1)) + 1);
  else
    message.set(field, typeof value === "string" ? `${value}x` : typeof value === "number" ? value + 100_000 : !value);
  return true;
}

function isReflected(value: unknown): value is ReflectMessage {
  return typeof value === "object" && value !== null && "desc" in value;
}

const cases = [...registry].flatMap((extension) => {
  if (extension.kind !== "extension" || extension.file.proto.package !== "platform.options.v1") return [];
  // The public contract has neither an option of a service nor the rule of ids.
  if (["google.protobuf.ServiceOptions", "buf.validate.StringRules"].includes(extension.extendee.typeName)) return [];
  const { name, message } = extension;
  if (message === undefined)
    throw new Error(`The option ${name} is not a message: the function alter cannot change it.`);
  return pathsIn(message).map((path) => ({
    name: [name, ...path.map((field) => field.name)].join("."),
    extension,
    path,
  }));
});

it.each(cases)("a change of the option $name is a change of the contract", ({ extension, path }) => {
  const set = fromBinary(FileDescriptorSetSchema, image);
  const alterOnce = () => {
    const altered = optionedIn(set).some(({ options }) => {
      if (options?.$typeName !== extension.extendee.typeName) return false;
      const value = getExtension(options, extension);
      if (!isMessage(value, extension.message) || !alter(reflect(extension.message, value), path)) return false;
      setExtension(options, extension, value);
      return true;
    });
    expect(altered).toBe(true);
    return factsOf(readImage(toBinary(FileDescriptorSetSchema, set)));
  };
  expect(compare({ released: alterOnce(), current: alterOnce(), today: "2027-01-01" })).not.toEqual([]);
});

it.each([
  ["operations", { requiredScopes: ["vault.items:share"] }],
  ["calls", { errors: [{ reason: "ITEM_SHREDDED" }] }],
])("the option %s of a service counts for each of its operations", (name, value) => {
  const extension = registry.getExtension(`platform.options.v1.${name}`);
  if (extension?.message === undefined) throw new Error(`There is no option ${name}.`);
  const set = fromBinary(FileDescriptorSetSchema, image);
  const released = factsOf(readImage(toBinary(FileDescriptorSetSchema, set)));
  for (const service of set.file.flatMap((file) => (file.package === "platform.v1" ? file.service : []))) {
    service.options = create(ServiceOptionsSchema);
    setExtension(service.options, extension, fromJson(extension.message, value));
  }
  const current = factsOf(readImage(toBinary(FileDescriptorSetSchema, set)));
  expect(compare({ released, current, today: "2027-01-01" })).toHaveLength(2);
});
