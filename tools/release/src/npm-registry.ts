const { npm_config_registry: configured } = process.env;

/** The registry that is published to. */
export const npmRegistry = configured ?? "https://registry.npmjs.org/";
