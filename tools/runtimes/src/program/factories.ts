import * as connect from "@platform-rpc/client";
import * as json from "@platform-rpc/client/json";

/** How a client is made, by entry. */
export const factories = {
  "@platform-rpc/client": connect.createPlatformClient,
  "@platform-rpc/client/json": json.createPlatformClient,
};

/** What either makes. */
export type EitherClient = connect.PlatformClient | json.PlatformClient;
