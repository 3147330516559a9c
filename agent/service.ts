// Speaks to the service: sends one heartbeat and tells a usable answer from every kind of failure.
import { messageOf } from "./check.js";
import type { AgentConfig } from "./config.js";
import { readToken } from "./configFile.js";
import type { HttpClient, HttpReply } from "./http.js";
import type { Heartbeat, Reply } from "./protocol.js";
import { parseReply, refusalMessage } from "./protocol.js";
import type { ServerClock } from "./serverClock.js";

/** Why a heartbeat brought no answer that can be used. */
export class HeartbeatError extends Error {
  override readonly name = "HeartbeatError";
  constructor(
    message: string,
    /** HTTP status of the refusal; null when there was no answer, or none that could be read. */
    readonly status: number | null = null,
    /** How long the service asked to be left alone, 0 when it did not. */
    readonly retryAfterMs = 0,
  ) {
    super(message);
  }
}

/** Time for the answer beyond what the service was asked to hold the request. */
const ANSWER_MS = 20_000;
const LONGEST_RETRY_AFTER_SECONDS = 600;

interface ServiceParts {
  readonly config: AgentConfig;
  readonly client: HttpClient;
  readonly clock: ServerClock;
}

export class Service {
  constructor(private readonly parts: ServiceParts) {}

  /** Sends a heartbeat; the service may hold it for `waitSeconds` until there is a job. Throws {@link HeartbeatError}. */
  async beat(heartbeat: Heartbeat, waitSeconds: number): Promise<Reply> {
    const answer = await this.#send(heartbeat, waitSeconds);
    this.parts.clock.hear(answer.headers.date);
    if (answer.status !== 200) throw refusal(answer);
    try {
      return parseReply(answer.body);
    } catch (error) {
      throw new HeartbeatError(messageOf(error));
    }
  }

  async #send(heartbeat: Heartbeat, waitSeconds: number): Promise<HttpReply> {
    const { config, client } = this.parts;
    const query = waitSeconds > 0 ? `?wait=${waitSeconds}` : "";
    try {
      const authorization = `Bearer ${await readToken(config)}`;
      return await client.send({
        method: "POST",
        url: `${config.url}/api/v1/agent/heartbeat${query}`,
        headers: { authorization },
        body: heartbeat,
        timeoutMs: waitSeconds * 1000 + ANSWER_MS,
      });
    } catch (error) {
      throw new HeartbeatError(messageOf(error));
    }
  }
}

function refusal({ status, headers, body }: HttpReply): HeartbeatError {
  const seconds = Number(headers["retry-after"] ?? 0);
  const asked = Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, LONGEST_RETRY_AFTER_SECONDS) : 0;
  const hint = status === 401 ? " (is the agent token still the current one of this node?)" : "";
  return new HeartbeatError(`the service answered ${refusalMessage(status, body)}${hint}`, status, asked * 1000);
}
