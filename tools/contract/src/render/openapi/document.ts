import type { JsonObject } from "@bufbuild/protobuf";
import { createExampleErrors } from "./error-example.ts";
import { addErrorSchemas } from "./error-schemas.ts";
import { commonHeaders, requestHeaders } from "./headers.ts";
import { operationObject, securityScheme, tagOf } from "./operation.ts";
import { headerNamed, type PublishedApi } from "./published-api.ts";
import { createSchemas } from "./schemas.ts";

const everyCall =
  "Every call is an HTTP POST with a JSON body, an access token, and the header `Connect-Protocol-Version: 1`. A response with status 200 has the body of the operation. Every other response has an Error body. Its first detail, a google.rpc.ErrorInfo, contains `reason`: match on it, and never on the message.";

/**
 * Returns the OpenAPI 3.1 document of a package's public operations. The same contract always gives the same document.
 *
 * @throws TypeError when the contract contains something that the document cannot express.
 */
export function openapiDocument(api: PublishedApi): JsonObject {
  const { package: owner, version, operations } = api;
  const schemas = createSchemas(api);
  const exampleError = createExampleErrors(api);
  const paths = operations.map(
    (operation) => [`/${operation.name}`, { post: operationObject(operation, api, schemas, exampleError) }] as const,
  );
  addErrorSchemas(api, schemas);
  const tagged = new Set(operations.map(({ service }) => service));
  const services = [...api.contract.services.values()].filter(({ name }) => tagged.has(name));
  return {
    openapi: "3.1.1",
    info: {
      title: "Platform API",
      version,
      description: [owner.comment, everyCall].join("\n\n"),
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [
      {
        url: "{baseUrl}",
        description: "Your platform. The document that a server sends contains its own URL.",
        variables: {
          baseUrl: {
            default: "http://127.0.0.1:8080",
            description: "The URL of the platform, with its base path. The default is that of the demo server.",
          },
        },
      },
    ],
    tags: services.map(({ name, comment }) => ({ name: tagOf(name), description: comment })),
    paths: Object.fromEntries(paths),
    components: {
      schemas: schemas.all(),
      parameters: requestHeaders(api),
      headers: commonHeaders(api),
      securitySchemes: {
        [securityScheme]: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "JWT",
          description: headerNamed("Authorization", "request", api).description,
        },
      },
    },
    ...(owner.limits && { "x-limits": { ...owner.limits } }),
  };
}
