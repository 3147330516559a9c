// Answers that are larger, deeper or made of more than any that is honest: none is worked on, whatever it holds and however it comes.
import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { PlatformReason } from "../../../src/hypervisor/platformError.js";
import { boundOf } from "../../../src/hypervisor/proxmox/answerBounds.js";
import { AnswerGauge, BeyondBounds } from "../../../src/hypervisor/proxmox/answerGauge.js";
import { Cleanup, scripted } from "../support/driver.js";
import { refusal } from "../support/rejection.js";
import type { Script } from "../support/scriptedHost.js";

const MIB = 1024 ** 2;
const GUEST = { type: "qemu", node: "pve1", vmid: 100 } as const;
const VERSION = JSON.stringify({ data: { version: "8.4.5" } });

/** Sends text as the body of an answer. */
const raw = (body: string | Buffer, headers: Record<string, string> = {}, status = 200): Script => ({
  raw: (response) => response.writeHead(status, "said so", headers).end(body),
});

/** Never ends by itself. */
function flood(response: ServerResponse): void {
  response.writeHead(200, "OK");
  const send = (): void => {
    while (!response.destroyed && response.write(" ".repeat(16_384)));
  };
  response.on("drain", send);
  send();
}

const versionWith = (more: string): string => `{"data":{"version":"8.4.5","more":${more}}}`;

const BEYOND: Readonly<Record<string, readonly [body: string, why: string]>> = {
  "that is nested too deeply": [versionWith(`${"[".repeat(40)}${"]".repeat(40)}`), "nested more than 32 deep"],
  "of brackets that nobody closes": ["[".repeat(MIB), "nested more than 32 deep"],
  "of braces within braces": ['{"a":'.repeat(MIB / 5), "nested more than 32 deep"],
  "of more objects than anything has": [
    versionWith(`[${"{},".repeat(10_001)}{}]`),
    "more than 10000 objects and lists",
  ],
  "of more numbers than anything has": [versionWith(`[${"1,".repeat(100_001)}1]`), "more than 100000 values"],
  "of one endless text": [versionWith(`"${"a".repeat(MIB)}"`), "larger than 1 MiB"],
};

describe("the bounds of an answer", () => {
  const cleanup = new Cleanup();
  afterEach(() => cleanup.run());

  for (const [what, [body, why]] of Object.entries(BEYOND)) {
    for (const [how, script] of [
      ["as it is", raw(body)],
      ["compressed", raw(gzipSync(body), { "Content-Encoding": "gzip" })],
    ] as const) {
      it(`keep out an answer ${what}, sent ${how}, which is asked for once`, async () => {
        const { host, driver } = await scripted(cleanup, () => script);
        await refusal(driver.version(), PlatformReason.UNINTELLIGIBLE, why);
        assert.equal(host.arrivals.length, 1);
      });
    }
  }

  it("name the question, and leave the host alive", async () => {
    const { host, driver } = await scripted(cleanup, ({ path }) =>
      path.endsWith("/version") ? raw(VERSION) : { raw: flood },
    );
    const words = /^The answer of \S+ to \/nodes\/pve1\/network is not read: it is larger than 1 MiB$/;
    await refusal(driver.networks("pve1"), PlatformReason.UNINTELLIGIBLE, words);
    assert.equal(host.arrivals.length, 1);
    assert.equal((await driver.version()).version, "8.4.5");
  });

  it("leave open whether a change was made", async () => {
    const { driver } = await scripted(cleanup, () => ({ raw: flood }));
    await refusal(driver.power(GUEST, "start"), PlatformReason.UNCERTAIN, /larger than 1 MiB: the change may have/);
  });

  it("leave of a refusal its status, and of one with a page its words", async () => {
    const { driver } = await scripted(cleanup, ({ path }) =>
      path.endsWith("/version")
        ? raw(`no ${"[".repeat(100_000)}`, {}, 403)
        : raw(JSON.stringify({ message: "not for you" }), {}, 403),
    );
    await refusal(driver.version(), PlatformReason.FORBIDDEN, /said so$/);
    await refusal(driver.networks("pve1"), PlatformReason.FORBIDDEN, /not for you$/);
  });

  it("let in the lists of a host of 30,000 guests", async () => {
    const row = { type: "qemu", node: "pve1", status: "running", name: `guest-${"x".repeat(200)}`, maxmem: 2 ** 31 };
    const data = Array.from({ length: 30_000 }, (_, index) => ({ ...row, id: `qemu/${index}`, vmid: 100 + index }));
    const { driver } = await scripted(cleanup, () => ({ data }));
    assert.equal((await driver.resources()).guests.length, 30_000);
  });

  it("let in what texts hold, wherever they are cut on the way", () => {
    const text = Buffer.from(JSON.stringify({ data: `"\\[[[{{${'\\\\"['.repeat(100)}é日本` }));
    for (let size = 1; size <= text.length; size++) {
      const gauge = new AnswerGauge({ bytes: text.length, groups: 1, values: 0 });
      for (let at = 0; at < text.length; at += size) gauge.add(text.subarray(at, at + size));
    }
    const strict = new AnswerGauge({ bytes: text.length, groups: 0, values: 0 });
    assert.throws(() => strict.add(text), BeyondBounds);
  });

  it("are wide for what grows with the host, and narrow for all else", () => {
    const wide = [
      "/cluster/resources",
      "/access/permissions",
      "/nodes/a/storage/b/content",
      "/nodes/a/tasks/UPID:x/log",
    ];
    const narrow = [
      "/version",
      "/nodes/a/status",
      "/nodes/a/qemu/100/config",
      "/cluster/resources/more",
      "/nodes/a/tasks/x",
    ];
    for (const path of wide) assert.ok(boundOf(path).bytes >= 8 * MIB, path);
    for (const path of narrow) assert.equal(boundOf(path).bytes, MIB, path);
  });
});
