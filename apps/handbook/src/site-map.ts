/** A part of the site, in the order in which a reader needs them. */
export interface Section {
  readonly title: string;
  /** Whether the sidebar shows the pages of the reader's group, and only the titles of the other groups. */
  readonly folds?: boolean;
  readonly groups: readonly Group[];
}

export interface Group {
  /** Without a title, the sidebar shows the pages directly. */
  readonly title?: string;
  readonly sources: readonly Source[];
}

/** A file, or the files of a folder, and the URL of their pages below the site's base. */
export interface Source {
  /** Relative to the root of the workspace, with `*` for all files of a folder. A file that does not exist is left out. */
  readonly files: string;
  /** The URL of the page. With `*` in `files`: of the folder's README, and what the URLs of its other pages begin with. */
  readonly url: string;
  /** The URL of the folder's README, if it is another one. */
  readonly index?: string;
  /** `sections`: a page for each heading of the second level. */
  readonly split?: "sections";
}

const page = (files: string, url: string): Source => ({ files, url });
const pages = (files: string, url: string): Source => ({ files, url, split: "sections" });

/** The structure of the site. A file in docs/ that is named nowhere else is one of the guides. */
export const sections: readonly Section[] = [
  { title: "Start", groups: [{ sources: [page("README.md", "index")] }] },
  { title: "Concepts", groups: [{ sources: [page("docs/concepts/*.md", "concepts")] }] },
  {
    title: "Guides",
    folds: true,
    groups: [
      { title: "Call it", sources: [pages("packages/client/README.md", "guides/client")] },
      {
        title: "Messages and types",
        sources: [
          page("packages/types/README.md", "guides/types"),
          page("packages/types-connect-v1/README.md", "guides/types-connect-v1"),
        ],
      },
      { title: "Command line", sources: [pages("packages/cli/README.md", "guides/cli")] },
      {
        title: "Agents and assistants",
        sources: [
          page("docs/getting-access.md", "guides/getting-access"),
          page("docs/agents.md", "guides/agents"),
          pages("docs/oauth.md", "guides/oauth"),
          pages("packages/mcp/README.md", "guides/mcp"),
        ],
      },
      { title: "Brokers", sources: [pages("packages/broker/README.md", "guides/broker")] },
      { title: "Serve it", sources: [pages("packages/server/README.md", "guides/server")] },
      { title: "Copy it", sources: [page("apps/reference/README.md", "guides/reference")] },
      { title: "Run it", sources: [pages("apps/platform/README.md", "guides/platform-app")] },
      {
        title: "People",
        sources: [
          pages("docs/accounts.md", "guides/accounts"),
          page("docs/items.md", "guides/items"),
          page("docs/import.md", "guides/import"),
          page("docs/export.md", "guides/export"),
        ],
      },
      { title: "More", sources: [page("docs/*.md", "guides")] },
    ],
  },
  {
    title: "API",
    groups: [{ title: "Operations", sources: [page("docs/operations/*.md", "api/operations")] }],
  },
  {
    title: "Errors",
    groups: [
      { title: "Of the platform", sources: [page("docs/errors/*.md", "errors")] },
      {
        title: "Of the client",
        sources: [{ files: "docs/client-errors/*.md", url: "errors", index: "errors/of-the-client" }],
      },
      {
        title: "Of the member API",
        sources: [{ files: "docs/member-errors/*.md", url: "errors", index: "errors/of-the-member-api" }],
      },
      { title: "In practice", sources: [page("docs/errors-in-practice.md", "errors/in-practice")] },
    ],
  },
  {
    title: "Operate",
    groups: [
      { sources: [page("docs/operate/*.md", "operate")] },
      { sources: [page("docs/backup.md", "operate/backup"), page("docs/scaling.md", "operate/scaling")] },
    ],
  },
  { title: "Security", groups: [{ sources: [page("SECURITY.md", "security")] }] },
  { title: "Changelog", groups: [{ sources: [page("docs/versioning.md", "versioning")] }] },
  {
    title: "Internals",
    groups: [
      {
        sources: [
          page("ARCHITECTURE.md", "internals/architecture"),
          page("CONTRIBUTING.md", "internals/contributing"),
          page("docs/specification.md", "internals/specification"),
          page("docs/decisions.md", "internals/decisions"),
          page("docs/contract-rules.md", "internals/contract-rules"),
          page("docs/extending.md", "internals/extending"),
          page("docs/performance.md", "internals/performance"),
          page("docs/benchmarks.md", "internals/benchmarks"),
          page("docs/internals/*.md", "internals"),
        ],
      },
      { title: "Tools", sources: [page("tools/*/README.md", "internals/tools")] },
    ],
  },
];

/** A page of each kind, relative to the base of the site. */
export const kindsOfPages = [
  "",
  "concepts/zero-knowledge",
  "guides/client/errors",
  "guides/server",
  "api/operations/DeleteItem",
  "api/client",
  "api/client/functions/createPlatformClient",
  "api/server/interfaces/PlatformOptions",
  "errors",
  "errors/VERSION_CONFLICT",
  "operate/backup",
  "security",
  "changelog/client",
  "internals/decisions",
] as const;
