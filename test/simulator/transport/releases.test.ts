// Tests in what the transport of older releases differs.
import assert from "node:assert/strict";
import type { RunningHost } from "../../../simulator/host.js";
import { startSimulatedHost } from "../../support/host.js";
import { transportTraits } from "../../../simulator/transport/traits.js";
import { form, rawRequest, tokenHeader } from "./rawRequest.js";

const secret = "11111111-2222-4333-8444-555555555555";

describe("transport of Proxmox VE 7.4", () => {
  let host: RunningHost;

  before(async () => {
    host = await startSimulatedHost({ name: "old", release: "7.4", tokens: [{ id: "root@pam!panel", secret }] });
  });
  after(() => host.close());

  it("has the error text only in the reason phrase", async () => {
    const answer = await rawRequest(host.url, {
      path: "/api2/json/nodes/old/qemu/100/config",
      headers: tokenHeader(secret),
    });
    assert.equal(answer.reason, "Configuration file 'nodes/old/qemu-server/100.conf' does not exist");
    assert.equal(answer.text, '{"data":null}');
  });

  it("keeps the texts of refused parameters in the body", async () => {
    const { headers, body } = form({});
    const answer = await rawRequest(host.url, {
      method: "POST",
      path: "/api2/json/nodes/old/qemu",
      headers: { ...headers, ...tokenHeader(secret) },
      body,
    });
    assert.deepEqual(JSON.parse(answer.text), {
      data: null,
      errors: { vmid: "property is missing and it is not optional" },
    });
  });

  it("reports what is wrong with a token", async () => {
    const answers = await Promise.all([
      rawRequest(host.url, { path: "/api2/json/nodes", headers: tokenHeader("wrong") }),
      rawRequest(host.url, { path: "/api2/json/nodes", headers: tokenHeader(secret, "root@pam!nosuch") }),
    ]);
    assert.deepEqual(
      answers.map(({ reason }) => reason),
      ["invalid token value!", "no such token 'nosuch' for user 'root@pam'"],
    );
  });

  it("answers 501 where its own code dies", async () => {
    const answer = await rawRequest(host.url, { path: "/nodes", headers: tokenHeader(secret) });
    assert.deepEqual([answer.status, answer.reason, answer.text], [501, "no such file '/nodes'", ""]);
  });
});

describe("transport traits", () => {
  const limits: [version: string, bytes: number][] = [
    ["7.4-16", 64 * 1024],
    ["8.3.5", 64 * 1024],
    ["8.4", 512 * 1024],
    ["8.4.14", 512 * 1024],
    ["9.2.11", 512 * 1024],
  ];
  for (const [version, bytes] of limits) {
    it(`limits bodies of ${version} to ${bytes} bytes`, () => {
      assert.equal(transportTraits(version).bodyLimit, bytes);
    });
  }
});
