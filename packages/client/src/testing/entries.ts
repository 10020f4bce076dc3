import * as connect from "../index.js";
import * as json from "../json/index.js";

/** Both entries: whatever is true of one is true of the other. */
export const entries = [
  { entry: "@platform/client", createPlatformClient: connect.createPlatformClient },
  { entry: "@platform/client/json", createPlatformClient: json.createPlatformClient },
];
