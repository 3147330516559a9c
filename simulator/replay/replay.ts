// Replays one recorded run against fresh hosts and judges every answer.
import { setTimeout as wait } from "node:timers/promises";
import type { Release } from "../version.js";
import { whyNotJudged } from "./distrust.js";
import { startedTask } from "./evidence.js";
import { isHandshake, shakeHands } from "./handshake.js";
import { ReplayHosts } from "./hosts.js";
import type { Verdict } from "./judge.js";
import { judge } from "./judge.js";
import { Pace } from "./pace.js";
import { Placeholders } from "./placeholders.js";
import type { Exchange, Run } from "./recording.js";
import { prepare, send } from "./send.js";
import { Wallet } from "./wallet.js";
import { decodeUpid } from "../tasks/upid.js";

/** What became of one exchange: a verdict, or why there is none. */
export interface Outcome {
  exchange: Exchange;
  verdict: Verdict | null;
  notJudged: string | null;
}

/** Replays a run in the order of its recording. */
export async function replayRun(run: Run, release: Release): Promise<Outcome[]> {
  const placeholders = new Placeholders();
  const hosts = await ReplayHosts.start(run, release, placeholders);
  try {
    return await new Replay(run, hosts, placeholders).play();
  } finally {
    await hosts.close();
  }
}

class Replay {
  readonly #wallet: Wallet;
  readonly #pace: Pace;
  /** Epoch seconds of the recording at its start, to within a second. */
  readonly #recordedStart: number;

  constructor(
    private readonly run: Run,
    private readonly hosts: ReplayHosts,
    private readonly placeholders: Placeholders,
  ) {
    this.#wallet = new Wallet((host, user) => hosts.logIn(host, user));
    for (const [host, secret] of hosts.panelSecrets) this.#wallet.setSecret(host, "root@pam!panel", secret);
    this.#pace = new Pace(run.exchanges, hosts);
    this.#recordedStart = findStart(run.exchanges);
  }

  async play(): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    for (const [index, exchange] of this.run.exchanges.entries()) {
      await this.#pace.before(index);
      await this.#letTokensExpire(index);
      outcomes.push(await this.#replay(exchange));
    }
    return outcomes;
  }

  async #replay(exchange: Exchange): Promise<Outcome> {
    const outgoing = prepare(exchange, {
      port: this.hosts.host(exchange.host).port,
      placeholders: this.placeholders,
      secondsLater: Date.now() / 1000 - this.#recordedNow(exchange),
      credentials: await this.#wallet.credentials(exchange, this.placeholders),
      digest: this.hosts.digestOf(exchange),
    });
    const answer = isHandshake(exchange)
      ? await shakeHands(outgoing, this.#firstWords(exchange))
      : await send(outgoing);
    this.placeholders.learn(exchange.body, answer.body);
    this.#wallet.learn(exchange, answer.body);
    const notJudged = whyNotJudged(exchange);
    return { exchange, verdict: notJudged === null ? judge(exchange, answer, this.placeholders) : null, notJudged };
  }

  /** A terminal is told whose it is: the recording masks that. */
  #firstWords({ first_sent: sent, who }: Exchange): string | undefined {
    const ticket = this.placeholders.ours("PVEVNC:00000000::TICKET");
    return sent === undefined ? undefined : `${who ?? ""}:${ticket ?? ""}\n`;
  }

  #recordedNow(exchange: Exchange): number {
    return this.#recordedStart + exchange.at_ms / 1000;
  }

  /** Expiries are real time: where one passed between two recorded requests, it must pass here too. */
  async #letTokensExpire(index: number): Promise<void> {
    const [previous, exchange] = [this.run.exchanges[index - 1], this.run.exchanges[index]];
    if (previous === undefined || exchange === undefined) return;
    const [from, to] = [previous, exchange].map((each) => this.#recordedNow(each));
    for (const setting of this.run.exchanges.slice(0, index)) {
      const expire = Number(setting.form?.find(([name]) => name === "expire")?.[1] ?? 0);
      if (from === undefined || to === undefined || expire < from - 1 || expire > to + 1) continue;
      if (expire - this.#recordedNow(setting) < 60) await wait((expire - this.#recordedNow(setting) + 1.5) * 1000);
    }
  }
}

/** The first UPID tells when its task was started. */
function findStart(exchanges: readonly Exchange[]): number {
  for (const exchange of exchanges) {
    const upid = decodeUpid(startedTask(exchange) ?? "");
    if (upid !== null) return upid.starttime - exchange.at_ms / 1000;
  }
  return Date.now() / 1000;
}
