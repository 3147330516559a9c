// The demo's own files in its data directory: where everything is, and the secrets that make it the same demo after a restart.
import { randomBytes, randomUUID } from "node:crypto";
import { chmod, mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { withLock } from "../src/db/embedded/lock.js";

const privateMode = 0o600;
const DRAFT = "demo.draft.json";
/** Written before anything else. */
const PLATFORM = "platform.json";
/** Far longer than a change takes. */
const LONGEST_CHANGE_MS = 60_000;

const description = z.object({
  url: z.string(),
  graphql: z.string(),
  subscriptions: z.string(),
  apiToken: z.string(),
  scopedToken: z.string(),
  scopedHostIds: z.array(z.number()),
  admin: z.object({ username: z.string(), password: z.string() }),
  agents: z.array(z.object({ hostId: z.number(), node: z.string(), token: z.string() })),
  hosts: z.array(
    z.object({
      id: z.number().nullable(),
      name: z.string(),
      url: z.string(),
      fingerprint: z.string(),
      control: z.string(),
    }),
  ),
  pids: z.object({ platform: z.number().nullable(), service: z.number().nullable(), database: z.number().nullable() }),
});

/** What `demo.json` says: where to reach everything, with ready-made credentials. */
export type Description = z.infer<typeof description>;

const platformSecrets = z.object({
  tokenId: z.string(),
  tokenSecret: z.string(),
  rootPassword: z.string(),
  hosts: z.record(z.string(), z.object({ port: z.number(), controlPort: z.number() })),
});

/** What the simulated hosts are started with, so that they come back as they were. */
export type PlatformSecrets = z.infer<typeof platformSecrets>;

const nothing: Description = {
  url: "",
  graphql: "",
  subscriptions: "",
  apiToken: "",
  scopedToken: "",
  scopedHostIds: [],
  admin: { username: "admin", password: "" },
  agents: [],
  hosts: [],
  pids: { platform: null, service: null, database: null },
};

/**
 * The demo's files. What is known is gathered in `demo.draft.json`, to which two demo processes may add, each its own part;
 * `demo.json` says only what can be used.
 */
export class DemoFiles {
  readonly directory: string;

  constructor(directory: string) {
    this.directory = directory;
  }

  /** Whether the directory holds what no demo made: the data of a real service, say, which has the same place by default. */
  async areForeign(): Promise<boolean> {
    const names = await readdir(this.directory).catch(emptyIfMissing);
    return names.length > 0 && !names.some((name) => name.startsWith(PLATFORM));
  }

  async describe(): Promise<Description> {
    const found = await this.#read(DRAFT);
    return found === null ? nothing : description.parse(found);
  }

  /** Adds to what is known, or changes a part of it; several processes may, at once. @param part may depend on what is known */
  change(part: Partial<Description> | ((known: Description) => Partial<Description>)): Promise<Description> {
    const lock = { purpose: "demo-draft", directory: this.directory, waitMs: LONGEST_CHANGE_MS };
    return withLock(lock, async () => {
      const known = await this.describe();
      const changed = { ...known, ...(typeof part === "function" ? part(known) : part) };
      await this.#write(DRAFT, changed);
      return changed;
    });
  }

  /** Writes `demo.json` from what is known: whoever waits for it finds what works. */
  async publish(): Promise<void> {
    await this.#write("demo.json", await this.describe());
  }

  async platformSecrets(): Promise<PlatformSecrets> {
    const found = await this.#read(PLATFORM);
    if (found !== null) return platformSecrets.parse(found);
    const made = {
      tokenId: "drover",
      tokenSecret: randomUUID(),
      rootPassword: randomBytes(12).toString("base64url"),
      hosts: {},
    };
    await this.#write(PLATFORM, made);
    return made;
  }

  async keepPlatformSecrets(secrets: PlatformSecrets): Promise<void> {
    await this.#write(PLATFORM, secrets);
  }

  /** Reads a file that `make` fills the first time. */
  async kept<Content>(name: string, shape: z.ZodType<Content>, make: () => Promise<Content>): Promise<Content> {
    const found = await this.#read(name);
    if (found !== null) return shape.parse(found);
    const made = await make();
    await this.#write(name, made);
    return made;
  }

  async #read(name: string): Promise<unknown> {
    try {
      return JSON.parse(await readFile(join(this.directory, name), "utf8"));
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  /** Whole or not at all: a reader never sees half a file. */
  async #write(name: string, content: unknown): Promise<void> {
    await mkdir(this.directory, { recursive: true });
    const path = join(this.directory, name);
    const draft = `${path}.${process.pid}`;
    await writeFile(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: privateMode });
    await chmod(draft, privateMode);
    await rename(draft, path);
  }
}

const isMissing = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "ENOENT";

function emptyIfMissing(error: unknown): string[] {
  if (isMissing(error)) return [];
  throw error;
}
