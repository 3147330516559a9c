// Keeps the port forwards of a real node: applied to its nftables, saved, and put back when they are lost.
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { forwardsToWire, parseForwards } from "../forwardSet.js";
import { readIfThere, removeIfThere, replaceFile, withTemporaryFile } from "../files.js";
import { messageOf } from "../check.js";
import { reportFaults, type Vetted } from "../forwardRules.js";
import type { RunCommand } from "./command.js";
import { forwardsRuleset, TABLE } from "./nftRuleset.js";
import type { PortForward } from "./platform.js";

interface NodeForwardsOptions {
  /** Where forwards.json lives; without it forwards do not survive a restart. */
  readonly stateDirectory: string | undefined;
  readonly publicAddress: string | undefined;
  readonly run: RunCommand;
  /** How nft is started: its path, with a prefix where it runs in another network namespace. */
  readonly nft: readonly [program: string, ...rest: string[]];
  /** Says which of the forwards that are not in force yet the node takes; throws when that cannot be found out. */
  readonly vet: (added: readonly PortForward[]) => Promise<Vetted>;
}

const NFT_MS = 30_000;

/** What a forward joins. */
const ends = ({ protocol, publicPort, guestAddress }: PortForward): string =>
  `${protocol}/${publicPort}/${guestAddress}`;

export class NodeForwards {
  readonly #path: string | null;
  #last: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: NodeForwardsOptions) {
    this.#path = options.stateDirectory === undefined ? null : join(options.stateDirectory, "forwards.json");
  }

  /**
   * Applies what the node takes of the set in one transaction, then saves it; an empty set leaves nothing, in the kernel nor on the
   * disk. Sets given at the same time are applied in their order. Throws why the node does not take the rest: what is not in the set
   * is gone nevertheless, for a port that should be closed may lead to another guest by now.
   */
  apply(forwards: readonly PortForward[]): Promise<void> {
    return this.#oneAtATime(async () => {
      const { taken, faults } = await this.#vettedSet(forwards);
      await this.#load(taken);
      await this.#save(taken);
      reportFaults(faults);
    });
  }

  /** Puts saved forwards back when the table is missing: after a boot, or after `nft flush ruleset`. */
  restore(): Promise<void> {
    return this.#oneAtATime(async () => {
      const forwards = await this.#saved();
      if (forwards.length > 0 && !(await this.#isLoaded())) await this.#load(forwards);
    });
  }

  async #save(forwards: readonly PortForward[]): Promise<void> {
    if (this.#path === null) return;
    if (forwards.length === 0) await removeIfThere(this.#path);
    else await replaceFile(this.#path, JSON.stringify(forwardsToWire(forwards)));
  }

  async #saved(): Promise<PortForward[]> {
    const text = this.#path === null ? null : await readIfThere(this.#path);
    if (text === null) return [];
    try {
      return parseForwards(JSON.parse(text));
    } catch (error) {
      throw new Error(`${this.#path ?? ""} cannot be used: ${messageOf(error)}`, { cause: error });
    }
  }

  /** What is in force stays so, whatever the node has become since. */
  async #vettedSet(forwards: readonly PortForward[]): Promise<Vetted> {
    const published = new Set((await this.#published()).map(ends));
    const isPublished = (forward: PortForward): boolean => published.has(ends(forward));
    const { taken, faults } = await this.#vet(forwards.filter((forward) => !isPublished(forward)));
    const added = new Set(taken);
    return { taken: forwards.filter((forward) => isPublished(forward) || added.has(forward)), faults };
  }

  /** A node that does not say what it looks like takes nothing new. */
  async #vet(added: readonly PortForward[]): Promise<Vetted> {
    try {
      return await this.options.vet(added);
    } catch (error) {
      return { taken: [], faults: [`no new forward is taken: ${messageOf(error)}`] };
    }
  }

  /** A file that cannot be used publishes nothing, which every observation says; the next set replaces it. */
  #published(): Promise<readonly PortForward[]> {
    return this.#saved().catch(() => []);
  }

  /** Whether the table is there; `nft` lists it by name, and fails only when there is none or it may not look. */
  async #isLoaded(): Promise<boolean> {
    const [program, ...rest] = this.options.nft;
    const tables = await this.options.run({ line: [program, ...rest, "list", "tables"], timeoutMs: NFT_MS });
    return tables.split("\n").includes(`table ${TABLE}`);
  }

  /** The ruleset is given as a file: nft 0.9.8 (Debian 11) opens /dev/stdin for `-f -`, which fails on the socket that Node.js makes. */
  async #load(forwards: readonly PortForward[]): Promise<void> {
    const [program, ...rest] = this.options.nft;
    const ruleset = forwardsRuleset(forwards, this.#localPublicAddress());
    await withTemporaryFile(ruleset, (path) =>
      this.options.run({ line: [program, ...rest, "-f", path], timeoutMs: NFT_MS }),
    );
  }

  #localPublicAddress(): string | null {
    const { publicAddress } = this.options;
    const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
    return own.some(({ address }) => address === publicAddress) ? (publicAddress ?? null) : null;
  }

  #oneAtATime<T>(task: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(task);
    this.#last = mine.catch(() => undefined);
    return mine;
  }
}
