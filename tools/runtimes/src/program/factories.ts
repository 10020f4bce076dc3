import * as connect from "@platform-rpc/client";
import * as json from "@platform-rpc/client/json";

/** The client factories, by entry. */
export const factories = {
  "@platform-rpc/client": connect.createPlatformClient,
  "@platform-rpc/client/json": json.createPlatformClient,
};

/** The client of either entry. */
export type EitherClient = connect.PlatformClient | json.PlatformClient;
