// A service with a world in it, and listeners to it that end with the test.
import type { Pressure } from "../../../src/access/admission/load.js";
import type { TestParts } from "../../support/services.js";
import { Listener } from "./listener.js";
import { startGraphql, type GraphqlService } from "./service.js";
import { fillWorld, type World } from "./world.js";

export class LiveStage {
  readonly #listeners: Listener[] = [];

  private constructor(
    readonly service: GraphqlService,
    readonly world: World,
  ) {}

  static async open(pressure?: Pressure, parts: TestParts = {}): Promise<LiveStage> {
    const service = await startGraphql(parts, pressure === undefined ? {} : { pressure });
    const stage = new LiveStage(service, await fillWorld(service.services.pool));
    await stage.#heardSoFar();
    return stage;
  }

  sql(text: string, values: unknown[] = []) {
    return this.service.services.pool.query(text, values);
  }

  listen(token: string, query: string, variables: Record<string, unknown> = {}): Listener {
    const listener = new Listener(this.service, { token, query, variables });
    this.#listeners.push(listener);
    return listener;
  }

  async close(): Promise<void> {
    for (const listener of this.#listeners) listener.dispose();
    await this.service.close();
  }

  /** Resolves when everything that was announced before has been heard, so that it is not told to who listens from then on. */
  async #heardSoFar(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const off = this.service.services.events.on("job", (id) => {
      if (id === -1) resolve();
    });
    await this.sql(`select announce('job', -1)`);
    await promise;
    off();
  }
}
