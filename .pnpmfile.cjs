/** The API reference page serves the bundle that @scalar/api-reference carries, whole: its 270 dependencies are not needed. */
module.exports = {
  hooks: {
    readPackage: (manifest) =>
      manifest.name === "@scalar/api-reference" ? { ...manifest, dependencies: {} } : manifest,
  },
};
