// Gives orders to a simulated host through its control address, as somebody outside the service does.
import assert from "node:assert/strict";

/** A control address. Every order must be understood. */
export interface Control {
  get(path: string): Promise<unknown>;
  post(path: string, body: object): Promise<unknown>;
  delete(path: string): Promise<unknown>;
}

export function control(base: string): Control {
  const send = async (method: string, path: string, body?: object): Promise<unknown> => {
    const answer = await fetch(base + path, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    });
    const text = await answer.text();
    assert.equal(answer.status, 200, `${method} ${path}: ${text}`);
    const parsed: unknown = JSON.parse(text);
    return parsed;
  };
  return {
    get: (path) => send("GET", path),
    post: (path, body) => send("POST", path, body),
    delete: (path) => send("DELETE", path),
  };
}
