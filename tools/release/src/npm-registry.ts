const { npm_config_registry: configured } = process.env;

/** The registry to which packages are published. */
export const npmRegistry = configured ?? "https://registry.npmjs.org/";
