// Connecting and changing hosts: everything that is refused, and what it leaves.
import assert from "node:assert/strict";
import type { RunningHost } from "../../../simulator/host.js";
import { addHost, setMaintenance, syncHostNow, updateHost } from "../../../src/actions/host/host.js";
import type { HostInput } from "../../../src/actions/host/hostInput.js";
import type { Context } from "../../../src/context/context.js";
import { SECRET, Site } from "../../inventory/support/site.js";
import { contextOf, managingToken } from "../../support/context.js";
import { refusedAs, refusedFields } from "../../support/refusal.js";
import { plant } from "../../support/rows.js";
import { hostInput } from "./input.js";

const PASSWORD = "Secr3t-root";
const WRONG_PIN = Array.from({ length: 32 }, () => "AB").join(":");

describe("hosts", () => {
  let site: Site;
  let context: Context;
  let host: RunningHost;
  let input: HostInput;
  beforeEach(async () => {
    site = await Site.open();
    context = contextOf(site.services, managingToken());
    host = await site.startHost({ rootPassword: PASSWORD });
    input = hostInput(host);
  });
  afterEach(() => site.close());

  const record = () =>
    site.row<Record<string, unknown>>(
      "select name, port, user_name, token_id, active, last_sync_error, tls_fingerprint, allow_unrestricted_move_token, secret_encrypted as secret from host",
    );
  const allowed = async () => (await record())?.["allow_unrestricted_move_token"];
  const hosts = async () => (await site.rows("select from host")).length;
  const byPassword = () => ({ ...input, tokenId: null, tokenSecret: null, password: PASSWORD });

  describe("are added", () => {
    it("by token, synced at once, with their secret sealed", async () => {
      const id = await addHost(context, input);
      const { secret, ...known } = (await record()) ?? {};
      assert.deepEqual(known, {
        name: "alpha",
        port: host.port,
        user_name: "root@pam",
        token_id: "panel",
        active: true,
        last_sync_error: null,
        tls_fingerprint: host.fingerprint,
        allow_unrestricted_move_token: false,
      });
      assert.ok(typeof secret === "string" && !secret.includes(SECRET));
      assert.deepEqual(await site.rows("select name, status from node where host_id = $1", id), [
        { name: "pvea", status: "online" },
      ]);
    });

    it("by password, and with a fingerprint written in any way", async () => {
      await addHost(context, { ...byPassword(), tlsFingerprint: host.fingerprint.replaceAll(":", "").toLowerCase() });
      const known = await record();
      assert.deepEqual([known?.["token_id"], known?.["tls_fingerprint"]], [null, host.fingerprint]);
    });

    it("although their first sync fails: its reason is on record", async () => {
      const tokens = [{ id: "root@pam!weak", secret: SECRET, privilegeSeparated: true }];
      const weak = await site.startHost({ name: "pvew", tokens });
      await addHost(context, { ...input, port: weak.port, tlsFingerprint: weak.fingerprint, tokenId: "weak" });
      assert.match(String((await record())?.["last_sync_error"]), /Permission check failed/);
    });

    const refusals: readonly { name: string; change: Partial<HostInput>; fields: readonly string[] }[] = [
      { name: "an empty name", change: { name: " " }, fields: ["name"] },
      { name: "a name that is too long", change: { name: "n".repeat(201) }, fields: ["name"] },
      { name: "a name on two lines", change: { name: "rack\n1" }, fields: ["name"] },
      { name: "a URL", change: { hostname: "https://pve" }, fields: ["hostname"] },
      { name: "something like an address", change: { hostname: "::::" }, fields: ["hostname"] },
      { name: "port 0", change: { port: 0 }, fields: ["port"] },
      { name: "port 65536", change: { port: 65_536 }, fields: ["port"] },
      { name: "half a port", change: { port: 8006.5 }, fields: ["port"] },
      { name: "a user without realm", change: { user: "root" }, fields: ["user"] },
      { name: "a user with a control character", change: { user: "ro\u0007ot@pam" }, fields: ["user"] },
      { name: "a user with a token", change: { user: "root@pam!panel" }, fields: ["user"] },
      { name: "a token id with its user", change: { tokenId: "root@pam!panel" }, fields: ["token_id"] },
      { name: "a secret with a line break", change: { tokenSecret: `${SECRET}\n` }, fields: ["token_secret"] },
      { name: "a SHA-1 fingerprint", change: { tlsFingerprint: WRONG_PIN.slice(0, 59) }, fields: ["tls_fingerprint"] },
      { name: "no credentials", change: { tokenId: null, tokenSecret: null }, fields: ["token_secret"] },
      { name: "no secret", change: { tokenSecret: "" }, fields: ["token_secret"] },
      { name: "no token id", change: { tokenId: null }, fields: ["token_id"] },
      { name: "both credentials", change: { password: "x" }, fields: ["password"] },
      {
        name: "several faults",
        change: { port: -1, user: "", tokenSecret: null },
        fields: ["port", "user", "token_secret"],
      },
    ];
    for (const { name, change, fields } of refusals) {
      it(`not with ${name}`, async () => {
        await refusedFields(fields, addHost(context, { ...input, ...change }));
        assert.equal(await hosts(), 0);
      });
    }

    const failures: readonly { name: string; change: Partial<HostInput>; reason: string; words?: RegExp }[] = [
      {
        name: "no host",
        change: { port: 1 },
        reason: "PLATFORM_UNREACHABLE",
        words: /: nothing listens at its address and port \(connect ECONNREFUSED 127\.0\.0\.1:1\)$/,
      },
      { name: "another certificate", change: { tlsFingerprint: WRONG_PIN }, reason: "PLATFORM_UNREACHABLE" },
      { name: "a certificate that nobody trusts", change: { tlsFingerprint: null }, reason: "PLATFORM_UNREACHABLE" },
      { name: "a wrong secret", change: { tokenSecret: "wrong" }, reason: "PLATFORM_AUTHENTICATION" },
    ];
    for (const { name, change, reason, words = /./ } of failures) {
      it(`not when there is ${name}`, async () => {
        const refused = await refusedAs("platform", addHost(context, { ...input, ...change }));
        assert.equal(refused.reason, reason, refused.message);
        assert.match(refused.message, words);
        assert.equal(await hosts(), 0);
      });
    }

    it("not twice, by name or by address", async () => {
      await addHost(context, input);
      const other = await site.startHost({ name: "pveb" });
      const elsewhere = { port: other.port, tlsFingerprint: other.fingerprint };
      for (const again of [
        { ...input, ...elsewhere },
        { ...input, name: "beta" },
      ]) {
        assert.equal((await refusedAs("conflict", addHost(context, again))).reason, "HOST_EXISTS");
      }
      assert.equal(await hosts(), 1);
    });
  });

  describe("are changed", () => {
    let id: number;
    beforeEach(async () => {
      id = await addHost(context, input);
    });

    it("in name only, without asking a host that is away", async () => {
      await host.close();
      await updateHost(context, id, { name: "beta", hostname: null });
      assert.equal((await record())?.["name"], "beta");
    });

    it("to let moves go by tokens that are not limited, which none does at first, without asking the host", async () => {
      await host.close();
      await updateHost(context, id, { allowUnrestrictedMoveToken: true });
      await updateHost(context, id, { name: "beta", allowUnrestrictedMoveToken: null });
      assert.equal(await allowed(), true);
      await updateHost(context, id, { allowUnrestrictedMoveToken: false });
      assert.equal(await allowed(), false);
    });

    it("from token to password and back", async () => {
      await updateHost(context, id, { password: PASSWORD });
      assert.equal((await record())?.["token_id"], null);
      await site.services.hypervisors.forget(id);
      await syncHostNow(context, id);
      await refusedFields(["token_id"], updateHost(context, id, { tokenSecret: SECRET }));
      await refusedFields(["token_secret"], updateHost(context, id, { tokenId: "panel" }));
      await updateHost(context, id, { tokenId: "panel", tokenSecret: SECRET });
      assert.equal((await record())?.["token_id"], "panel");
      await syncHostNow(context, id);
    });

    it("by two at once, and neither undoes the other", async () => {
      const slow = updateHost(context, id, { password: PASSWORD });
      await updateHost(context, id, { name: "beta" });
      await slow;
      const known = await record();
      assert.deepEqual([known?.["name"], known?.["token_id"]], ["beta", null]);
    });

    it("not to what does not work, and then everything stays", async () => {
      const before = await record();
      await refusedAs("platform", updateHost(context, id, { name: "beta", tokenSecret: "wrong" }));
      await refusedAs("platform", updateHost(context, id, { tlsFingerprint: WRONG_PIN }));
      await refusedFields(["token_secret"], updateHost(context, id, { tokenId: "other" }));
      await refusedFields(["port", "name"], updateHost(context, id, { port: 0, name: "" }));
      assert.deepEqual(await record(), before);
    });

    it("not into another host, and not when they are unknown", async () => {
      const other = await site.startHost({ name: "pveb" });
      const second = { ...input, name: "beta", port: other.port, tlsFingerprint: other.fingerprint };
      const otherId = await addHost(context, second);
      assert.equal(
        (await refusedAs("conflict", updateHost(context, otherId, { name: "alpha" }))).reason,
        "HOST_EXISTS",
      );
      await refusedAs("notFound", updateHost(context, 99, { name: "x" }));
    });

    it("when they are switched off: what needs them reports it, and they can be mended unseen", async () => {
      await updateHost(context, id, { active: false });
      const ask = async () => (await site.services.hypervisors.of(id)).version();
      for (const work of [() => syncHostNow(context, id), ask]) {
        const { reason, message } = await refusedAs("conflict", work());
        assert.deepEqual([reason, message], ["HOST_INACTIVE", "host alpha is switched off"]);
      }
      await updateHost(context, id, { tokenSecret: "wrong" });
      await refusedAs("platform", updateHost(context, id, { active: true }));
      await updateHost(context, id, { active: true, tokenSecret: SECRET });
      await syncHostNow(context, id);
      assert.equal((await record())?.["last_sync_error"], null);
    });

    it("but not switched off while guests are being moved from or to them", async () => {
      await plant(site.services.pool, { job: [{}] });
      for (const [from, to] of [
        [99, id],
        [id, 99],
      ] as const) {
        await plant(site.services.pool, {
          migration: [{ source_host_id: from, target_host_id: to, status: "running" }],
        });
        assert.equal((await refusedAs("conflict", updateHost(context, id, { active: false }))).reason, "HOST_BUSY");
        await updateHost(context, id, { name: "beta" });
        await site.rows("update migration set status = 'done'");
      }
      await updateHost(context, id, { active: false });
    });

    it("for calls that hold the host already", async () => {
      const held = await site.services.hypervisors.of(id);
      await held.version();
      await updateHost(context, id, { active: false });
      await refusedAs("conflict", held.version());
      await updateHost(context, id, { active: true });
      await held.version();
    });
  });

  it("are asked again by a caller that syncs them, although they were dead a moment ago", async () => {
    const id = await addHost(context, input);
    const faults = `${host.control}/faults`;
    await fetch(faults, { method: "POST", body: JSON.stringify({ effect: "drop" }) });
    await refusedAs("platform", syncHostNow(context, id));
    await fetch(faults, { method: "DELETE" });
    await syncHostNow(context, id);
    assert.equal((await record())?.["last_sync_error"], null);
  });

  it("are in maintenance since it was turned on first", async () => {
    const id = await addHost(context, input);
    const since = async () =>
      (await site.row<{ since: Date | null }>("select maintenance_since as since from host"))?.since;
    await setMaintenance(context, id, true);
    const first = await since();
    assert.ok(first instanceof Date);
    site.clock.shift(60);
    await setMaintenance(context, id, true);
    assert.deepEqual(await since(), first);
    await setMaintenance(context, id, false);
    assert.equal(await since(), null);
    await refusedAs("notFound", setMaintenance(context, 99, true));
    await refusedAs("notFound", syncHostNow(context, 99));
  });
});
