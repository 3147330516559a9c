// Tests logging in with a password, tickets, their CSRF tokens and their renewal.
import assert from "node:assert/strict";
import type { RunningHost } from "../../../simulator/host.js";
import { startSimulatedHost } from "../../support/host.js";
import type { RawAnswer } from "./rawRequest.js";
import { form, rawRequest } from "./rawRequest.js";

describe("login to a simulated host", () => {
  let host: RunningHost;

  before(async () => {
    host = await startSimulatedHost({ name: "pvea", release: "9.2", rootPassword: "root-Password-1" });
  });
  after(() => host.close());

  function logIn(password: string): Promise<RawAnswer> {
    return rawRequest(host.url, {
      method: "POST",
      path: "/api2/json/access/ticket",
      ...form({ username: "root@pam", password }),
    });
  }

  async function ticketOf(password: string): Promise<{ ticket: string; csrf: string }> {
    const { data } = JSON.parse((await logIn(password)).text);
    return { ticket: data.ticket, csrf: data.CSRFPreventionToken };
  }

  it("gives a ticket that reads by cookie alone", async () => {
    const { ticket } = await ticketOf("root-Password-1");
    assert.match(ticket, /^PVE:root@pam:[0-9A-F]{8}::\S+$/);
    const headers = { Cookie: `PVEAuthCookie=${encodeURIComponent(ticket)}` };
    const answer = await rawRequest(host.url, { path: "/api2/json/version", headers });
    assert.equal(answer.status, 200);
  });

  it("renews by a ticket in place of the password", async () => {
    const { ticket } = await ticketOf("root-Password-1");
    assert.equal((await logIn(ticket)).status, 200);
  });

  it("requires the CSRF token for writing", async () => {
    const { ticket, csrf } = await ticketOf("root-Password-1");
    const write = (headers: Record<string, string>): Promise<RawAnswer> =>
      rawRequest(host.url, {
        method: "POST",
        path: "/api2/json/access/users/root%40pam/token/t1",
        headers: { Cookie: `PVEAuthCookie=${encodeURIComponent(ticket)}`, ...headers },
      });
    const [without, wrong] = await Promise.all([write({}), write({ CSRFPreventionToken: "00000000:wrong" })]);
    const right = await write({ CSRFPreventionToken: csrf });
    assert.deepEqual([without.status, without.reason], [401, "Permission denied - invalid csrf token"]);
    assert.deepEqual([wrong.status, right.status], [401, 200]);
  });

  it("refuses a wrong password after three seconds, with a body", async () => {
    const answer = await logIn("wrong");
    assert.deepEqual([answer.status, answer.reason], [401, "authentication failure"]);
    assert.deepEqual(JSON.parse(answer.text), { data: null, message: "authentication failure\n" });
    assert.ok(answer.took >= 2990, `took ${answer.took} ms`);
  });
});
