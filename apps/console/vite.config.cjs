// The folder is named like the path under which the accounts origin serves it.
module.exports = {
  base: "/console/",
  build: {
    outDir: "dist/console",
    emptyOutDir: true,
    target: "es2022",
    // Data URLs are against the policy of the accounts origin.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // One style sheet: that of a part would not be loaded again if it once failed to.
    cssCodeSplit: false,
    chunkSizeWarningLimit: 600,
    // One chunk for the first load: it compresses better than four, and is one request.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: "first-load", tags: ["$initial"] }] } } },
  },
};
