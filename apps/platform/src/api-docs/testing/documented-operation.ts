import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { z } from "zod";

const schema = z.record(z.string(), z.unknown());
const header = z.object({ required: z.boolean().default(false), schema });
const parameter = header.extend({ name: z.string(), in: z.literal("header") });
const content = z.object({ "application/json": z.object({ schema }) });
const operation = z.object({
  parameters: z.array(z.unknown()),
  requestBody: z.object({ content }),
  responses: z.record(
    z.string(),
    z.object({
      headers: z.record(z.string(), z.unknown()),
      content,
      "x-error-reasons": z.array(z.string()).default([]),
    }),
  ),
});
const document = z.object({
  paths: z.record(z.string(), z.object({ post: operation })),
  components: z.object({ schemas: z.record(z.string(), schema) }),
});
const reference = z.object({ $ref: z.string().startsWith("#/") });

export interface DocumentedHeader {
  readonly name: string;
  readonly required: boolean;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly validate: ValidateFunction;
}

export interface DocumentedOperation {
  readonly path: string;
  readonly requestHeaders: readonly DocumentedHeader[];
  readonly requestSchema: Readonly<Record<string, unknown>>;
  readonly validateRequest: ValidateFunction;
  readonly responses: ReadonlyMap<
    number,
    { readonly headers: readonly DocumentedHeader[]; readonly validateBody: ValidateFunction }
  >;
}

/** Returns the operations of an OpenAPI document, with references resolved and schemas compiled. */
export function readDocumentedOperations(openapi: unknown): readonly DocumentedOperation[] {
  const { paths, components } = document.parse(openapi);
  const ajv = new Ajv2020({ allErrors: true, strictTuples: false });
  addFormats.default(ajv);
  ajv.addVocabulary(["components", "externalDocs"]);
  ajv.addSchema({ $id: "openapi", components });
  const compile = (local: Readonly<Record<string, unknown>>): ValidateFunction =>
    ajv.compile(JSON.parse(JSON.stringify(local).replaceAll('"#/', '"openapi#/')));
  const headerOf = (name: string, { required, schema }: z.infer<typeof header>): DocumentedHeader => ({
    name,
    required,
    schema,
    validate: compile(schema),
  });

  return Object.entries(paths).map(([path, { post }]) => {
    const body = post.requestBody.content["application/json"].schema;
    return {
      path,
      requestHeaders: post.parameters
        .map((each) => parameter.parse(resolved(openapi, each)))
        .map((each) => headerOf(each.name, each)),
      requestSchema: schema.parse(resolved(openapi, body)),
      validateRequest: compile(body),
      responses: new Map(
        Object.entries(post.responses).map(([status, { headers, content }]) => [
          Number(status),
          {
            headers: Object.entries(headers).map(([name, each]) =>
              headerOf(name, header.parse(resolved(openapi, each))),
            ),
            validateBody: compile(content["application/json"].schema),
          },
        ]),
      ),
    };
  });
}

/** Returns how a response differs from the document; empty when it matches. */
export function deviations(operation: DocumentedOperation, status: number, headers: Headers, body: unknown): string[] {
  const documented = operation.responses.get(status);
  if (documented === undefined) return [`the status ${status} is not documented`];
  const inHeaders = documented.headers.flatMap(({ name, required, validate }) => {
    const value = headers.get(name);
    if (value === null) return required ? [`${status} lacks the header ${name}`] : [];
    return validate(value) ? [] : [`${status} has a header ${name} that does not match its schema`];
  });
  if (documented.validateBody(body)) return inHeaders;
  const inBody = documented.validateBody.errors ?? [];
  return [...inHeaders, ...inBody.map(({ instancePath, message }) => `${status} body${instancePath} ${message}`)];
}

function resolved(root: unknown, value: unknown): unknown {
  const { data } = reference.safeParse(value);
  if (data === undefined) return value;
  return data.$ref
    .slice(2)
    .split("/")
    .reduce((inner, key) => schema.parse(inner)[key], root);
}
