// Checks the references to templates, zones and template files.
import assert from "node:assert/strict";
import {
  architectureOfFile,
  parseIpSource,
  parseTemplateFile,
  parseTemplateReference,
} from "../../../src/core/guest/reference.js";

describe("core/guest/reference", () => {
  it("reads the ids of templates and zones", () => {
    assert.equal(parseTemplateReference("tpl:7"), 7);
    assert.deepEqual(parseIpSource("zone:7"), { kind: "zone", zoneId: 7 });
  });

  for (const text of ["", "7", "tpl:", "tpl:0", "tpl:-1", "tpl:1x", "TPL:1", "tpl: 1", "zone:1", "tpl:99999999999"]) {
    it(`takes ${JSON.stringify(text)} for no template`, () => assert.equal(parseTemplateReference(text), null));
  }

  for (const text of [null, undefined, "dhcp"]) {
    it(`takes ${text} as DHCP`, () => assert.deepEqual(parseIpSource(text), { kind: "dhcp" }));
  }
  for (const text of ["", "DHCP", "zone:", "zone:0", "zone:a", "10.0.0.1"]) {
    it(`takes ${JSON.stringify(text)} for no source`, () => assert.equal(parseIpSource(text), null));
  }

  for (const [volumeId, storage, fileName] of [
    ["local:vztmpl/debian-12_12.7-1_amd64.tar.zst", "local", "debian-12_12.7-1_amd64.tar.zst"],
    ["my-nfs.1:vztmpl/a.tar.gz", "my-nfs.1", "a.tar.gz"],
    ["local:vztmpl/image.tar", "local", "image.tar"],
  ] as const) {
    it(`reads ${volumeId}`, () => assert.deepEqual(parseTemplateFile(volumeId), { storage, fileName }));
  }
  for (const text of [
    "tpl:1",
    "local:iso/a.iso",
    "vztmpl/a.tar.gz",
    "local:vztmpl/../a.tar.gz",
    "local:vztmpl/a.zip",
  ]) {
    it(`takes ${text} for no template file`, () => assert.equal(parseTemplateFile(text), null));
  }

  for (const [volumeId, architecture] of [
    ["local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst", "amd64"],
    ["local:vztmpl/alpine-3.22-default_20250617_arm64.tar.xz", "arm64"],
    ["local:vztmpl/own_amd64.tar", "amd64"],
    ["local:vztmpl/amd64_image.tar.gz", null],
    ["local:vztmpl/image.tar.gz", null],
  ] as const) {
    it(`takes ${volumeId} to be for ${architecture ?? "any processor"}`, () => {
      assert.equal(architectureOfFile(volumeId), architecture);
    });
  }
});
