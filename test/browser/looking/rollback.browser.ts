// Work that has failed and is rolled back, or waits for a host, does not look like work that goes well.
import type { Page } from "playwright-core";
import { panel } from "../support/panel.js";

const REASON = "The node refused: storage 'local-lvm' is full";
const ROLLBACK = {
  __typename: "Rollback",
  reason: REASON,
  step: "clone",
  since: "2026-01-01T00:00:00.000Z",
  doing: "the disks of 4242 are removed",
};

const JOB = {
  __typename: "Job",
  id: 4242,
  kind: "GUEST_CREATE",
  status: "RUNNING",
  step: "clone",
  progress: 0.4,
  error: null,
  hostId: 1,
  node: "ams1",
  vmid: 4242,
  createdAt: "2026-01-01T00:00:00.000Z",
  startedAt: "2026-01-01T00:00:00.000Z",
  finishedAt: null,
  rollback: ROLLBACK,
  waitingFor: null,
};

const UNREACHABLE = "Host amsterdam is unreachable: no connection within 5 s";
const HELD_UP = {
  ...JOB,
  id: 4243,
  rollback: null,
  waitingFor: {
    __typename: "WaitingFor",
    hostId: 1,
    reason: UNREACHABLE,
    since: "2026-01-01T00:00:00.000Z",
    triesAgainAt: "2026-01-01T00:00:10.000Z",
  },
};

describe("work that does not go well", () => {
  it("is called rolling back or blocked among the jobs, with the reason", async () => {
    const { page } = await panel.open("/settings");
    await answer(page, "Jobs", { jobs: { __typename: "JobPage", items: [JOB, HELD_UP], meta: { total: 2 } } });
    await page.goto(`${panel.url}/jobs`);
    const line = page.getByRole("row", { name: /^4242 / });
    await line.getByText("rolling back").waitFor();
    await line.getByText(REASON).waitFor();
    await line.getByRole("progressbar").waitFor({ state: "detached" });
    const heldUp = page.getByRole("row", { name: /^4243 / });
    await heldUp.getByText("blocked").waitFor();
    await heldUp.getByText(UNREACHABLE).waitFor();
  });
});

/** Answers the operation of this name in the service's place. */
async function answer(page: Page, operation: string, data: object): Promise<void> {
  await page.route("**/graphql", async (route) => {
    const asked: unknown = route.request().postDataJSON();
    const isIt =
      typeof asked === "object" && asked !== null && "operationName" in asked && asked.operationName === operation;
    await (isIt ? route.fulfill({ json: { data } }) : route.fallback());
  });
}
