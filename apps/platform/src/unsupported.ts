/** Returns why the platform cannot run here, and what to do. Old versions of Node must parse and run it, so it uses no newer syntax. */
export function unsupported({ platform, versions }: Pick<NodeJS.Process, "platform" | "versions">): string | undefined {
  if (Number.parseInt(versions.node, 10) < 24) {
    return `The platform needs Node 24 or newer, and this is Node ${versions.node}. Install a newer one from https://nodejs.org.`;
  }
  // Keys and tokens are in files that only their owner may read, and the platform stops gracefully by a signal.
  if (platform === "win32") {
    return "The platform does not run on Windows, which has no Unix file permissions and signals. Run it in WSL or in a container.";
  }
  return undefined;
}
