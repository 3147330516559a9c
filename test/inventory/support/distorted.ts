// A driver whose hosts' answers a test distorts: one value of one answer becomes another.
import type { Driver } from "../../../src/hypervisor/driver.js";
import type { ApiAnswer, ApiCall, Ask, ProxmoxClient } from "../../../src/hypervisor/proxmox/client.js";

/** A place in the answers of a host: in a list it is each entry's. */
export interface Place {
  /** Of the question. */
  readonly path: string;
  /** From the data inwards; `*` for the entries of a list. */
  readonly keys: readonly string[];
}

/** What a host says instead. */
interface Distortion extends Place {
  readonly value: unknown;
}

/** Distorts earlier answers while a distortion is set: thousands are tried so without the host. */
export class Distorter {
  /** Null: answers go through as they are. */
  distortion: Distortion | null = null;
  readonly #places = new Map<string, Place>();
  readonly #answers = new Map<string, ApiAnswer>();

  /** Every place of all answers that there were so far, the data of each as a whole included. */
  get places(): readonly Place[] {
    return [...this.#places.values()];
  }

  /** From here on answers are kept as if there had been none before. */
  begin(): void {
    this.#places.clear();
    this.#answers.clear();
  }

  around(driver: Driver<ProxmoxClient>): Driver<ProxmoxClient> {
    return {
      ...driver,
      open: (connection, isProven) => {
        const client = driver.open(connection, isProven);
        const ask = client.ask.bind(client);
        client.ask = (call) =>
          this.distortion === null ? this.#keep(call, ask) : this.#distort(this.distortion, call, ask);
        return client;
      },
    };
  }

  async #keep(call: ApiCall, ask: Ask): Promise<ApiAnswer> {
    const { path } = call;
    const answer = await ask(call);
    for (const keys of placesIn(answer.data, [])) this.#places.set(JSON.stringify([path, keys]), { path, keys });
    this.#answers.set(questionOf(call), answer);
    return answer;
  }

  async #distort({ path, keys, value }: Distortion, call: ApiCall, ask: Ask): Promise<ApiAnswer> {
    const answer = this.#answers.get(questionOf(call)) ?? (await ask(call));
    return path === call.path ? { ...answer, data: replaced(answer.data, keys, value) } : answer;
  }
}

const questionOf = ({ path, parameters }: ApiCall): string => JSON.stringify([path, parameters]);

function placesIn(data: unknown, at: readonly string[]): readonly (readonly string[])[] {
  if (typeof data !== "object" || data === null) return [at];
  const within = Array.isArray(data)
    ? data.flatMap((entry) => placesIn(entry, [...at, "*"]))
    : Object.entries(data).flatMap(([key, value]) => placesIn(value, [...at, key]));
  return [at, ...within];
}

function replaced(data: unknown, [key, ...further]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value;
  if (Array.isArray(data)) return data.map((entry) => replaced(entry, further, value));
  if (typeof data !== "object" || data === null || !(key in data)) return data;
  return { ...data, [key]: replaced(Reflect.get(data, key), further, value) };
}
