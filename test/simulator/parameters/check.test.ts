// Tests the parameter check: types, limits, formats, indexed names and the words of every refusal.
import assert from "node:assert/strict";
import { ApiError } from "../../../simulator/api.js";
import { checkParameters } from "../../../simulator/parameters/parameters.js";
import { methodTable } from "../../../simulator/parameters/schema.js";
import type { Release } from "../../../simulator/version.js";

const create = "POST /nodes/{node}/qemu";
const missing = "property is missing and it is not optional";
const unknown = "property is not defined in schema and the schema does not allow additional properties";
const models =
  "e1000, e1000-82540em, e1000-82544gc, e1000-82545em, e1000e, i82551, i82557b, i82559er, ne2k_isa, ne2k_pci, pcnet, rtl8139, virtio, vmxnet3";

function complaints(method: string, values: Record<string, unknown>, release: Release = "9.2"): Record<string, string> {
  const table = methodTable(release, method);
  assert.ok(table, `${release} has ${method}`);
  try {
    checkParameters({ node: "pvea", ...values }, table);
    return {};
  } catch (error) {
    assert.ok(error instanceof ApiError);
    assert.equal(error.status, 400);
    assert.equal(error.message, "Parameter verification failed.");
    return error.errors ?? {};
  }
}

describe("simulator: parameter check", () => {
  const cases: { says: string; values: Record<string, unknown>; errors: Record<string, string> }[] = [
    { says: "a missing parameter", values: {}, errors: { vmid: missing } },
    { says: "an unknown parameter", values: { vmid: "100", colour: "red" }, errors: { colour: unknown } },
    {
      says: "wrong types, each with what came",
      values: { vmid: "x", cores: "many", onboot: "perhaps" },
      errors: {
        vmid: "type check ('integer') failed - got 'x'",
        cores: "type check ('integer') failed - got 'many'",
        onboot: "type check ('boolean') failed - got 'perhaps'",
      },
    },
    {
      says: "a key of a property string outside its enumeration",
      values: { vmid: "100", net0: "foo" },
      errors: {
        net0: `invalid format - format error\nnet0.model: value 'foo' does not have a value in the enumeration '${models}'\n`,
      },
    },
    {
      says: "a key that a property string does not have",
      values: { vmid: "100", net0: "virtio,colour=red" },
      errors: { net0: `invalid format - format error\nnet0.colour: ${unknown}\n` },
    },
    {
      says: "a number below the minimum inside a property string",
      values: { vmid: "100", memory: -1 },
      errors: { memory: "invalid format - format error\nmemory.current: value must have a minimum value of 16\n" },
    },
    {
      says: "an address without a prefix",
      values: { vmid: "100", ipconfig0: "ip=10.0.0.5" },
      errors: {
        ipconfig0:
          "invalid format - format error\nipconfig0.ip: invalid format - value does not look like a valid ipv4 network configuration\n\n",
      },
    },
    {
      says: "a gateway without its address",
      values: { vmid: "100", ipconfig0: "gw=10.0.0.1" },
      errors: {
        ipconfig0: "invalid format - format error\nipconfig0.ip: missing property required by 'ipconfig0.gw'\n",
      },
    },
    {
      says: "a VMID below the range by its format",
      values: { vmid: "99" },
      errors: { vmid: "invalid format - value does not look like a valid VM ID\n" },
    },
    {
      says: "a VMID with ten digits",
      values: { vmid: "1000000000" },
      errors: { vmid: "invalid format - value does not look like a valid VM ID\n" },
    },
    {
      says: "a text over its length",
      values: { vmid: "100", description: "x".repeat(8193) },
      errors: { description: "value may only be 8192 characters long" },
    },
    {
      says: "keys that are not percent-encoded",
      values: { vmid: "100", sshkeys: "ssh-ed25519 AAAA" },
      errors: { sshkeys: "invalid format - invalid urlencoded string: ssh-ed25519 AAAA\n" },
    },
    {
      says: "a bad tag",
      values: { vmid: "100", tags: "ok;-bad" },
      errors: { tags: "invalid format - invalid characters in tag\n" },
    },
    { says: "an index beyond the slots", values: { vmid: "100", scsi31: "local:1" }, errors: { scsi31: unknown } },
    {
      says: "the template of an indexed name",
      values: { vmid: "100", "net[n]": "virtio" },
      errors: { "net[n]": unknown },
    },
    {
      says: "an object where text is wanted",
      values: { vmid: "100", name: { first: "a" } },
      errors: { name: "type check ('string') failed - got HASH" },
    },
    {
      says: "a processor model that does not exist",
      values: { vmid: "100", cpu: "quantum" },
      errors: { cpu: "invalid format - Built-in cputype 'quantum' is not defined (missing 'custom-' prefix?)\n" },
    },
  ];
  for (const { says, values, errors } of cases)
    it(`MUST refuse ${says}`, () => assert.deepEqual(complaints(create, values), errors));

  it("MUST take JSON numbers and booleans, texts, and indexed names up to the last slot", () => {
    assert.deepEqual(
      complaints(create, { vmid: 100, onboot: true, cores: "2", scsi30: "local:1", net31: "virtio" }),
      {},
    );
  });

  it("MUST treat null as not given", () => {
    assert.deepEqual(complaints(create, { vmid: null }), { vmid: missing });
  });

  it("MUST join JSON arrays for lists", () => {
    assert.deepEqual(complaints(create, { vmid: "100", tags: ["a", "b"] }), {});
  });

  it("MUST accept only what the release accepts", () => {
    assert.deepEqual(complaints(create, { vmid: "100", ciupgrade: "0" }, "7.4"), { ciupgrade: unknown });
    assert.deepEqual(complaints(create, { vmid: "100", ciupgrade: "0" }, "8.4"), {});
    assert.deepEqual(
      complaints(
        "POST /nodes/{node}/lxc",
        { vmid: "100", ostemplate: "local:vztmpl/x.tar.gz", dev0: "/dev/sda" },
        "7.4",
      ),
      { dev0: unknown },
    );
    assert.equal(methodTable("7.4", "GET /nodes/{node}/lxc/{vmid}/migrate"), null);
  });

  it("MUST take memory as a number on 7.4 and as a property string later", () => {
    assert.deepEqual(complaints(create, { vmid: "100", memory: "8" }, "7.4"), {
      memory: "value must have a minimum value of 16",
    });
    assert.deepEqual(complaints(create, { vmid: "100", memory: "current=2048" }, "7.4"), {
      memory: "type check ('integer') failed - got 'current=2048'",
    });
    assert.deepEqual(complaints(create, { vmid: "100", memory: "current=2048" }, "8.4"), {});
  });

  it("MUST hold lengths at their limits", () => {
    const lxc = { vmid: "100", ostemplate: "local:vztmpl/x.tar.gz" };
    assert.deepEqual(complaints("POST /nodes/{node}/lxc", { ...lxc, password: "12345" }), {});
    assert.deepEqual(complaints("POST /nodes/{node}/lxc", { ...lxc, password: "1234" }), {
      password: "value must be at least 5 characters long",
    });
    assert.deepEqual(complaints(create, { vmid: "100", description: "x".repeat(8192) }), {});
  });
});
