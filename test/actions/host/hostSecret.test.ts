// To which machine a host's stored secret is sent: only to the one that it was given for.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import type { RunningHost } from "../../../simulator/host.js";
import { addHost, syncHostNow, updateHost } from "../../../src/actions/host/host.js";
import { HOST_SECRET } from "../../../src/access/secretPurpose.js";
import type { Context } from "../../../src/context/context.js";
import { secretBox } from "../../../src/access/secretBox.js";
import { SECRET, Site } from "../../inventory/support/site.js";
import { contextOf, managingToken } from "../../support/context.js";
import { refusedAs, refusedFields } from "../../support/refusal.js";
import { hostInput } from "./input.js";

const PASSWORD = "Secr3t-root";

describe("the stored secret of a host", () => {
  let site: Site;
  let context: Context;
  let host: RunningHost;
  let other: RunningHost;
  let change: { readonly port: number; readonly tlsFingerprint: string };
  let id: number;
  beforeEach(async () => {
    site = await Site.open();
    context = contextOf(site.services, managingToken());
    host = await site.startHost({ rootPassword: PASSWORD });
    other = await site.startHost({ name: "pveb", rootPassword: PASSWORD });
    change = { port: other.port, tlsFingerprint: other.fingerprint };
    id = await addHost(context, hostInput(host));
  });
  afterEach(() => site.close());

  const record = () =>
    site.row<Record<string, unknown>>("select name, port, token_id, tls_fingerprint, secret_encrypted from host");

  const requests = async (): Promise<string> => (await fetch(`${other.control}/state`)).text();

  it("is asked for again when both address and certificate change, and no host is asked anything", async () => {
    const before = await record();
    for (const moved of [change, { ...change, active: false }, { ...change, tokenId: "panel", tokenSecret: "" }]) {
      await refusedFields(["token_secret"], updateHost(context, id, moved));
    }
    assert.match(await requests(), /"requests":0[,}]/);
    assert.deepEqual(await record(), before);
  });

  it("is sent to another address only behind the pinned certificate", async () => {
    const before = await record();
    await refusedAs("platform", updateHost(context, id, { port: other.port }));
    assert.match(await requests(), /"requests":0[,}]/);
    assert.deepEqual(await record(), before);
    await updateHost(context, id, { hostname: "localhost" });
  });

  it("is asked for again with another address where no certificate is pinned", async () => {
    await site.services.pool.query(`update host set tls_fingerprint = null`);
    await refusedFields(["token_secret"], updateHost(context, id, { port: other.port }));
    await refusedFields(["token_secret"], updateHost(context, id, change));
  });

  it("is asked for again with another certificate that is not tried, or not the machine's", async () => {
    const { tlsFingerprint } = change;
    await refusedFields(["token_secret"], updateHost(context, id, { tlsFingerprint, active: false }));
    await refusedAs("platform", updateHost(context, id, { tlsFingerprint }));
    await site.services.pool.query(`update host set tls_fingerprint = $1, secret_encrypted = $2`, [
      tlsFingerprint,
      site.services.secrets.seal(SECRET, HOST_SECRET),
    ]);
    await updateHost(context, id, { tlsFingerprint: host.fingerprint });
    assert.equal((await record())?.["tls_fingerprint"], host.fingerprint);
  });

  it("comes with the change, a token's or a password", async () => {
    await updateHost(context, id, { ...change, tokenSecret: SECRET });
    await refusedAs("platform", updateHost(context, id, { port: host.port }));
    await updateHost(context, id, { password: PASSWORD });
    const back = { port: host.port, tlsFingerprint: host.fingerprint };
    await refusedFields(["password"], updateHost(context, id, back));
    await updateHost(context, id, { ...back, password: PASSWORD });
    assert.equal((await record())?.["port"], host.port);
  });

  it("has to be given again when another key sealed it, and until then nothing asks the host", async () => {
    const sealedElsewhere = secretBox(randomBytes(32).toString("base64")).seal(SECRET, HOST_SECRET);
    await site.services.pool.query("update host set secret_encrypted = $1", [sealedElsewhere]);
    await site.services.hypervisors.forget(id);
    const refusal = await refusedAs("conflict", syncHostNow(context, id));
    assert.equal(refusal.reason, "HOST_SECRET_UNREADABLE");
    assert.match(refusal.message, /secret of host alpha cannot be opened: it has to be given again/);
    const { last_sync_error: error } =
      (await site.row<Record<string, unknown>>("select last_sync_error from host")) ?? {};
    assert.equal(error, refusal.message);
    await refusedFields(["token_secret"], updateHost(context, id, { name: "beta" }));
    await updateHost(context, id, { tokenId: "panel", tokenSecret: SECRET });
    await syncHostNow(context, id);
  });

  it("is not sent to a machine that was written into the database past the service", async () => {
    const { port, tlsFingerprint } = change;
    for (const forged of ["port = $1", "port = $1, tls_fingerprint = $2", "port = $1, tls_fingerprint = null"]) {
      await site.services.pool.query(
        `update host set ${forged}`,
        [port, tlsFingerprint].slice(0, forged.includes("$2") ? 2 : 1),
      );
      await site.services.hypervisors.forget(id);
      assert.equal((await refusedAs("conflict", syncHostNow(context, id))).reason, "HOST_SECRET_UNREADABLE");
    }
    assert.match(await requests(), /"requests":0[,}]/);
  });

  it("does not serve another account of the machine", async () => {
    await site.services.pool.query("update host set user_name = 'root@pam', token_id = 'other'");
    await site.services.hypervisors.forget(id);
    assert.equal((await refusedAs("conflict", syncHostNow(context, id))).reason, "HOST_SECRET_UNREADABLE");
  });

  it("is still opened as an earlier release sealed it, and bound with the next change", async () => {
    const { pool, secrets, hypervisors } = site.services;
    await pool.query("update host set secret_encrypted = $1", [secrets.seal(SECRET, HOST_SECRET)]);
    await hypervisors.forget(id);
    await syncHostNow(context, id);
    await updateHost(context, id, { tokenId: "panel", tokenSecret: SECRET, hostname: "localhost" });
    assert.match(String((await record())?.["secret_encrypted"]), /^2\./);
    await syncHostNow(context, id);
  });

  it("stays when the machine is named as it is already, in any way", async () => {
    const tlsFingerprint = host.fingerprint.replaceAll(":", "").toLowerCase();
    await updateHost(context, id, { name: "beta", hostname: "127.0.0.1", port: host.port, tlsFingerprint });
    assert.equal((await record())?.["name"], "beta");
  });

  it("does not meet the address that another change brings meanwhile", async () => {
    const move = () => updateHost(context, id, { ...change, tokenSecret: SECRET });
    await updateHost(whileTested(context, move), id, { password: PASSWORD });
    const { port, tls_fingerprint: pin, token_id: tokenId } = (await record()) ?? {};
    assert.deepEqual([port, pin, tokenId], [host.port, host.fingerprint, null]);
  });
});

/** A request during whose test of the connection something else happens. */
function whileTested(context: Context, meanwhile: () => Promise<void>): Context {
  const { hypervisors } = context;
  return {
    ...context,
    hypervisors: {
      of: (hostId) => hypervisors.of(hostId),
      prompt: (hostId) => hypervisors.prompt(hostId),
      patient: (hostId, signal) => hypervisors.patient(hostId, signal),
      once: (hostId) => hypervisors.once(hostId),
      forget: (hostId) => hypervisors.forget(hostId),
      close: () => hypervisors.close(),
      connect(connection) {
        const connected = hypervisors.connect(connection);
        return { ...connected, version: () => meanwhile().then(() => connected.version()) };
      },
    },
  };
}
