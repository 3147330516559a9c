// Sorts endpoints into the groups that readers of the OpenAPI document look for: its tags.

interface Tag {
  readonly name: string;
  readonly description: string;
  /** Matches the paths that have this tag. */
  readonly paths: RegExp;
}

const TAGS: readonly Tag[] = [
  {
    name: "Hosts and lookups",
    description: "What there is, and what new guests can be made of",
    paths: /^\/hosts(?!\/\{id\}\/(guests|jobs|tasks))/,
  },
  { name: "Guests", description: "Virtual machines and containers", paths: /^(\/hosts\/\{id\})?\/guests/ },
  { name: "Jobs and tasks", description: "Following long work", paths: /\/(jobs|tasks)\// },
  { name: "Placement", description: "Where a guest would go", paths: /^\/placement/ },
  { name: "Users", description: "Customers, their SSH keys and what they own", paths: /^\/users/ },
  { name: "Agent", description: "What the program on a node calls", paths: /^\/agent/ },
];

/** The tags as the document lists them. */
export const tags = TAGS.map(({ name, description }) => ({ name, description }));

/** The name of the tag of a path. @throws Error when there is none for it */
export function tagOf(path: string): string {
  const tag = TAGS.find(({ paths }) => paths.test(path));
  if (tag === undefined) throw new Error(`${path} has no OpenAPI tag: add one to rest/openapi/tags.ts`);
  return tag.name;
}
