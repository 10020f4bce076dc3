import * as connect from "@platform/client";
import * as json from "@platform/client/json";

/** How a client is made, by entry. */
export const factories = {
  "@platform/client": connect.createPlatformClient,
  "@platform/client/json": json.createPlatformClient,
};

/** What either makes. */
export type EitherClient = connect.PlatformClient | json.PlatformClient;
