// Refusals of senders that are not known, at the doors of programs: who is refused again and again waits for its answers, agents do not.
import assert from "node:assert/strict";
import { HandTime } from "../support/handTime.js";
import { knockAt, startAgentService, type AgentService } from "./support/agents.js";

const UNKNOWN_AGENT = `dra_${"x".repeat(43)}`;
/** What a source gets without a pause, and the first pause after that. */
const AT_ONCE = 100;
const PAUSE_MS = 20;

describe("heartbeat, REST v1: refusals of senders that are not known", () => {
  let time: HandTime;
  let agents: AgentService;
  beforeEach(async () => {
    time = new HandTime();
    agents = await startAgentService(["pve1"], time);
  });
  afterEach(() => agents.close());

  const heartbeat = async (): Promise<number> => (await knockAt(agents.url, UNKNOWN_AGENT)).status;
  const read = async (): Promise<number> => (await fetch(new URL("/api/v1/hosts", agents.url))).status;

  for (const [name, request] of [
    ["heartbeats", heartbeat],
    ["REST v1", read],
  ] as const) {
    it(`wait once their source has had too many: ${name}`, async () => {
      const known = await agents.agentOf("pve1");
      for (let count = 0; count < AT_ONCE; count++) assert.equal(await request(), 401);
      const late = request();
      await time.waitsFor(PAUSE_MS);
      // From the same address, and answered while the other waits.
      await agents.beat(known);
      time.move(PAUSE_MS);
      assert.equal(await late, 401);
    });
  }
});
