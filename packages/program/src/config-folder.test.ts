import { expect, it } from "vitest";
import { configFolder } from "./config-folder.js";

it.each([
  [{ PLATFORM_CONFIG_DIR: "/c", XDG_CONFIG_HOME: "/x" }, "/c"],
  [{ XDG_CONFIG_HOME: "/x" }, "/x/platform"],
  [{ XDG_CONFIG_HOME: "x" }, "/home/ada/.config/platform"],
  [{ XDG_CONFIG_HOME: "" }, "/home/ada/.config/platform"],
  [{}, "/home/ada/.config/platform"],
])("with %o the folder of the programs' files is %s", (environment, folder) => {
  expect(configFolder(environment, "/home/ada")).toBe(folder);
});
