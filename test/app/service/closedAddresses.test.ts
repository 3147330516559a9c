// A service that nobody has opened its own machine to: whoever adds a host learns nothing of what listens there.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { createTestDatabase, type TestDatabase } from "../../support/database.js";
import type { ApiClient } from "./support/client.js";
import { apiClient, Processes } from "./support/processes.js";

const ADD = `mutation ($hostname: String!, $port: Int!) {
  addHost(name: "inner", hostname: $hostname, port: $port, user: "root@pam", tokenId: "panel", tokenSecret: "secret") { id }
}`;

const CLOSED = ["127.0.0.1", "localhost", "::1", "0.0.0.0", "169.254.169.254", "2130706433"];

describe("a host at an address of the service's own machine", () => {
  let database: TestDatabase;
  let processes: Processes;
  let api: ApiClient;
  let server: Server;
  let port: number;
  let arrivals = 0;
  before(async () => {
    server = createServer(() => void arrivals++).listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    port = typeof address === "object" && address !== null ? address.port : assert.fail("no port");
    database = await createTestDatabase();
    processes = new Processes({ DATABASE_URL: database.url, DROVER_PRIVATE_HOSTS: "", DROVER_ROLE: "api" });
    api = await apiClient(await processes.start());
  });
  after(async () => {
    await processes.end();
    await database.close();
    server.close();
  });

  const refusalAt = async (hostname: string, at: number): Promise<string> => {
    try {
      return JSON.stringify(await api.graphql(ADD, { hostname, port: at }));
    } catch (error) {
      return String(error);
    }
  };

  for (const hostname of CLOSED) {
    it(`is not connected as ${hostname}, whether something listens there or not`, async () => {
      const [taken, free] = await Promise.all([port, 1].map((at) => refusalAt(hostname, at)));
      assert.match(taken ?? "", /no host may be connected at its address \(DROVER_PRIVATE_HOSTS opens/);
      assert.equal(taken, free, "whether something listens there or not");
      assert.equal(arrivals, 0);
    });
  }
});
