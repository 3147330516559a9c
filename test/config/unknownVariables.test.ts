// Variables that look like the service's and are not: found, with the name that was probably meant.
import assert from "node:assert/strict";
import { environment } from "../../src/config/config.js";
import { unknownVariables } from "../../src/config/unknownVariables.js";

describe("unknown variables", () => {
  const found: readonly (readonly [name: string, nearest: string | null])[] = [
    ["DROVER_SYNC_SECOND", "DROVER_SYNC_SECONDS"],
    ["DROVER_ROLES", "DROVER_ROLE"],
    ["DROVER_SOCKETS_PER_ADRESS", "DROVER_SOCKETS_PER_ADDRESS"],
    ["drover_data", "DROVER_DATA"],
    ["DROVER_PORT", "PORT"],
    ["DROVER_DATABASE_URL", "DATABASE_URL"],
    ["DROVER_LOG_LEVEL", "LOG_LEVEL"],
    ["DROVER_COLOUR_OF_THE_PANEL", null],
  ];
  for (const [name, nearest] of found) {
    it(`takes ${name} for ${nearest ?? "none of them"}`, () =>
      assert.deepEqual(unknownVariables({ [name]: "4000" }), [{ name, nearest }]));
  }

  it("reports nothing of those that are read, by the service or by its clients, nor of other programs'", () => {
    const read = Object.keys(environment.shape).map((name) => [name, "x"]);
    const others = { DROVER_URL: "http://127.0.0.1", DROVER_TOKEN: "x", PATH: "/bin", MY_DROVER_ROLE: "api" };
    assert.deepEqual(unknownVariables({ ...Object.fromEntries(read), ...others }), []);
  });

  it("reports nothing of what Kubernetes sets for a service that is called drover", () => {
    const told = {
      DROVER_SERVICE_HOST: "10.96.0.7",
      DROVER_SERVICE_PORT: "4000",
      DROVER_SERVICE_PORT_HTTP: "4000",
      DROVER_PORT: "tcp://10.96.0.7:4000",
      DROVER_PORT_4000_TCP: "tcp://10.96.0.7:4000",
      DROVER_PORT_4000_TCP_ADDR: "10.96.0.7",
    };
    assert.deepEqual(unknownVariables(told), []);
  });
});
