// Sorts endpoints into the chapters that readers of the description look for.

interface Chapter {
  readonly name: string;
  readonly description: string;
  readonly has: RegExp;
}

const CHAPTERS: readonly Chapter[] = [
  {
    name: "Hosts and lookups",
    description: "What there is, and what new guests can be made of",
    has: /^\/hosts(?!\/\{id\}\/(guests|jobs|tasks))/,
  },
  { name: "Guests", description: "Virtual machines and containers", has: /^(\/hosts\/\{id\})?\/guests/ },
  { name: "Jobs and tasks", description: "Following long work", has: /\/(jobs|tasks)\// },
  { name: "Placement", description: "Where a guest would go", has: /^\/placement/ },
  { name: "Users", description: "Customers, their SSH keys and what they own", has: /^\/users/ },
  { name: "Agent", description: "What the program on a node calls", has: /^\/agent/ },
];

/** Chapters as the document names them. */
export const tags = CHAPTERS.map(({ name, description }) => ({ name, description }));

/** The chapter of a path. @throws Error when it belongs to none */
export function tagOf(path: string): string {
  const chapter = CHAPTERS.find(({ has }) => has.test(path));
  if (chapter === undefined) throw new Error(`${path} belongs to no chapter`);
  return chapter.name;
}
