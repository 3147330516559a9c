// Checks which fields of create and reinstall requests are refused: one good request, broken one way a case.
import assert from "node:assert/strict";
import {
  guestCreateProblems,
  guestReinstallProblems,
  type CreateCircumstances,
  type GuestCreateRequest,
} from "../../../src/core/guest/specification.js";

const machine: GuestCreateRequest = {
  type: "qemu",
  node: "pve1",
  name: "web1.example.com",
  cores: 2,
  memoryMb: 2048,
  diskGb: 20,
  osTemplate: "tpl:1",
  vmid: 100,
  password: "12345678",
};
const file = "local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst";
const container: GuestCreateRequest = { ...machine, type: "lxc", osTemplate: file };
const noSize = { cores: null, memoryMb: null, diskGb: null };
const noAccess = { password: null };
const autoNode = { node: "auto", vmid: null };

interface Case {
  readonly when: string;
  readonly base?: GuestCreateRequest;
  readonly change: GuestCreateRequest;
  readonly circumstances?: Partial<CreateCircumstances>;
  readonly fields: readonly string[];
}

const cases: Case[] = [
  { when: "nothing is wrong", change: {}, fields: [] },
  { when: "nothing is wrong with a container", base: container, change: {}, fields: [] },
  { when: "the type is missing", change: { type: null }, fields: ["type"] },
  { when: "the type is unknown", change: { type: "QEMU" }, fields: ["type"] },
  { when: "the node is missing", change: { node: null }, fields: ["node"] },
  { when: "the node is no DNS label", change: { node: "pve_1" }, fields: ["node"] },
  { when: "the node is auto without a VMID", change: autoNode, fields: [] },
  { when: "the node is auto with a VMID", change: { node: "auto" }, fields: [] },
  { when: "no host is given and the node is auto", change: autoNode, circumstances: { hostGiven: false }, fields: [] },
  { when: "no host is given and a node is", change: {}, circumstances: { hostGiven: false }, fields: ["node"] },
  { when: "the name is missing", change: { name: null }, fields: ["name"] },
  { when: "the name is no DNS name", change: { name: "web_1" }, fields: ["name"] },
  { when: "there is no size", change: noSize, fields: ["cores", "memory_mb", "disk_gb"] },
  { when: "a plan sets the size", change: { ...noSize, planId: 1 }, fields: [] },
  { when: "a plan wins over a bad size", change: { planId: 1, cores: 0, memoryMb: -1, diskGb: 0 }, fields: [] },
  { when: "the plan is no id", change: { planId: 0 }, fields: ["plan_id"] },
  { when: "there are no cores", change: { cores: 0 }, fields: ["cores"] },
  { when: "memory is below the least", change: { memoryMb: 15 }, fields: ["memory_mb"] },
  { when: "memory is the least", change: { memoryMb: 16 }, fields: [] },
  { when: "memory is fractional", change: { memoryMb: 512.5 }, fields: ["memory_mb"] },
  { when: "there is no disk", change: { diskGb: 0 }, fields: ["disk_gb"] },
  { when: "the least of everything", change: { cores: 1, diskGb: 1 }, fields: [] },
  { when: "a machine has no template", change: { osTemplate: null }, fields: ["os_template"] },
  { when: "a machine has a template file", change: { osTemplate: file }, fields: ["os_template"] },
  { when: "a machine has a container template", change: { lxcTemplateId: 1 }, fields: ["lxc_template_id"] },
  { when: "a container has no template", base: container, change: { osTemplate: null }, fields: ["os_template"] },
  { when: "a container has a machine's", base: container, change: { osTemplate: "tpl:1" }, fields: ["os_template"] },
  {
    when: "a container has a library template",
    base: container,
    change: { osTemplate: null, lxcTemplateId: 1 },
    fields: [],
  },
  {
    when: "a library template is no id",
    base: container,
    change: { osTemplate: null, lxcTemplateId: 0 },
    fields: ["lxc_template_id"],
  },
  { when: "a container has two templates", base: container, change: { lxcTemplateId: 1 }, fields: ["lxc_template_id"] },
  { when: "a named node comes without a VMID", change: { vmid: null }, fields: ["vmid"] },
  { when: "the VMID is below the range", change: { vmid: 99 }, fields: ["vmid"] },
  { when: "the VMID is the last", change: { vmid: 999_999_999 }, fields: [] },
  { when: "the VMID is above the range", change: { vmid: 1_000_000_000 }, fields: ["vmid"] },
  { when: "the VMID is bad and the node auto", change: { node: "auto", vmid: 99 }, fields: ["vmid"] },
  { when: "the password is short", change: { password: "1234567" }, fields: ["password"] },
  { when: "the password is short in characters", change: { password: "🦊🦊🦊🦊" }, fields: ["password"] },
  { when: "the password is empty", change: { password: "", sshKeys: ["ssh-ed25519 A"] }, fields: ["password"] },
  { when: "the password has a line break", change: { password: "12345678\nroot" }, fields: ["password"] },
  { when: "there is no way in", change: { ...noAccess, sshKeys: [] }, fields: ["password"] },
  { when: "there are keys", change: { ...noAccess, sshKeys: ["ssh-ed25519 A"] }, fields: [] },
  { when: "the owner has keys", change: noAccess, circumstances: { ownerHasKeys: true }, fields: [] },
  { when: "the owner is no id", change: { ownerId: -1 }, fields: ["owner_id"] },
  { when: "the address comes from a zone", change: { ipSource: "zone:3" }, fields: [] },
  { when: "the address comes from nowhere known", change: { ipSource: "static" }, fields: ["ip_source"] },
];

describe("core/guest/specification", () => {
  for (const { when, base = machine, change, circumstances, fields } of cases) {
    it(`${when}: ${fields.join(", ") || "no problem"}`, () => {
      const facts = { hostGiven: true, ownerHasKeys: false, ...circumstances };
      assert.deepEqual(
        guestCreateProblems({ ...base, ...change }, facts).map(({ field }) => field),
        fields,
      );
    });
  }

  it("names every offending field of an empty request", () => {
    const problems = guestCreateProblems({}, { hostGiven: true, ownerHasKeys: false });
    assert.deepEqual(
      problems.map(({ field }) => field),
      ["type", "node", "name", "cores", "memory_mb", "disk_gb", "vmid", "password"],
    );
  });

  it("checks a reinstall's template by the guest's type, and the way in", () => {
    assert.deepEqual(guestReinstallProblems("qemu", { osTemplate: "tpl:1", password: "12345678" }, false), []);
    assert.deepEqual(guestReinstallProblems("lxc", { lxcTemplateId: 1 }, true), []);
    assert.deepEqual(
      guestReinstallProblems("lxc", { osTemplate: "tpl:1" }, false).map(({ field }) => field),
      ["os_template", "password"],
    );
  });
});
