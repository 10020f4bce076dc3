import type { JsonObject } from "@bufbuild/protobuf";
import { createExampleErrors } from "../error-example.ts";
import { headerNamed, type PublishedApi } from "../published-api.ts";
import { addErrorSchemas } from "./error-schemas.ts";
import { commonHeaders, requestHeaders } from "./headers.ts";
import { operationObject, publicTag, securityScheme } from "./operation.ts";
import { createSchemas } from "./schemas.ts";

const everyCall =
  "Every call is an HTTP POST with a JSON body and the header `Connect-Protocol-Version: 1`. A response with status 200 has the body of the operation. Every other response has an Error body. Programs read `reason` in its google.rpc.ErrorInfo.";

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
        variables: { baseUrl: { default: "http://127.0.0.1:8080", description: "The URL of the server." } },
      },
    ],
    tags: [{ name: publicTag, description: "Operations for integrators." }],
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
