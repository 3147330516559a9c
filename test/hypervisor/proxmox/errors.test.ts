// What the platform's refusals mean, in its own words as versions 7.3 to 9.2 write them.
import assert from "node:assert/strict";
import { PlatformReason } from "../../../src/hypervisor/platformError.js";
import { reasonOfText, refusalError } from "../../../src/hypervisor/proxmox/errors.js";

const { AUTHENTICATION, CHANGED, EXISTS, FAILED, FORBIDDEN, LOCKED, NOT_FOUND, NOT_STARTED, REFUSED } = PlatformReason;
const { UNCERTAIN, UNREACHABLE } = PlatformReason;

const PLACE = "node pve2 of host rack2";

const TEXTS: [PlatformReason, string][] = [
  [LOCKED, "VM is locked (backup)"],
  [LOCKED, "CT is locked (migrate)"],
  [LOCKED, "can't lock file '/var/lock/qemu-server/lock-100.conf' - got timeout"],
  [EXISTS, "unable to create VM 102 - VM 102 already exists on node 'pvea'"],
  [EXISTS, "unable to create VM 102 - CT 102 already exists on node 'pvea'"],
  [EXISTS, "unable to create VM 102: config file already exists"],
  [EXISTS, "CT 101 already exists on node 'pve1'"],
  [EXISTS, "Parameter verification failed. vmid: VM 9000 already exists"],
  [EXISTS, "Parameter verification failed. tokenid: Token already exists."],
  [CHANGED, "checksum mismatch (file change by other user?)"],
  [CHANGED, "checksum missmatch (file change by other user?)"],
  [CHANGED, "detected modified configuration - file changed by other user? Try again."],
  [NOT_FOUND, "Configuration file 'nodes/pve1/qemu-server/100.conf' does not exist"],
  [NOT_FOUND, "unable to find configuration file for VM 7777 on node 'pvea'"],
  [NOT_FOUND, "VM 100 does not exist"],
  [NOT_FOUND, "Parameter verification failed. upid: no such task"],
  [NOT_FOUND, "storage 'nosuch' does not exist"],
  [NOT_FOUND, "ACL update failed: role 'DroverMigration' does not exist"],
  [NOT_FOUND, "no such token 'x' for user 'root@pam'"],
  [REFUSED, "got no worker upid - start worker failed"],
  [REFUSED, "CT 101 already running"],
  [REFUSED, "VM 100 not running"],
  [REFUSED, "disk 'scsi7' does not exist"],
  [REFUSED, "volume 'local:100/vm-100-disk-0.raw' already exists"],
  [REFUSED, "hostname lookup 'pve9' failed - failed to get address info for: pve9: Name or service not known"],
];

describe("hypervisor/proxmox/errors", () => {
  for (const [reason, text] of TEXTS) {
    it(`${reason}: ${text}`, () => assert.equal(reasonOfText(text), reason));
  }

  const answers: {
    name: string;
    status: number;
    phrase?: string;
    location?: string;
    body?: unknown;
    changes?: boolean;
    reason: PlatformReason;
    message: string;
  }[] = [
    {
      name: "the message of the body, without its newline",
      status: 500,
      phrase: "VM is locked (backup)",
      body: { data: null, message: "VM is locked (backup)\n" },
      reason: LOCKED,
      message: "VM is locked (backup)",
    },
    {
      name: "the reason phrase alone, before 8.4",
      status: 500,
      phrase: "CT is locked (migrate)",
      body: { data: null },
      reason: LOCKED,
      message: "CT is locked (migrate)",
    },
    {
      name: "every refused parameter",
      status: 400,
      phrase: "Parameter verification failed.",
      body: {
        data: null,
        message: "Parameter verification failed.\n",
        errors: { net0: "invalid format - format error\nnet0.model: bad\n", vmid: "VM 100 already exists" },
      },
      reason: EXISTS,
      message:
        "Parameter verification failed. net0: invalid format - format error net0.model: bad; vmid: VM 100 already exists",
    },
    {
      name: "refused parameters without a message, before 8.4",
      status: 400,
      phrase: "Parameter verification failed.",
      body: { data: null, errors: { upid: "no such task" } },
      reason: NOT_FOUND,
      message: "Parameter verification failed. upid: no such task",
    },
    {
      name: "an empty body",
      status: 401,
      phrase: "No ticket",
      reason: AUTHENTICATION,
      message: `${PLACE} refuses the credential: No ticket`,
    },
    {
      name: "a missing privilege",
      status: 403,
      phrase: "Permission check failed (/vms/100, VM.PowerMgmt)",
      reason: FORBIDDEN,
      message: "Permission check failed (/vms/100, VM.PowerMgmt)",
    },
    ...[
      "got no worker upid - start worker failed",
      "got strange worker upid ('' != 'UPID:a:') - start worker failed",
      "starting worker failed: unable to fork worker - Resource temporarily unavailable",
    ].map((text) => ({
      name: `a change for which no task could be started: ${text}`,
      status: 500,
      phrase: text,
      body: { data: null, message: `${text}\n` },
      changes: true,
      reason: NOT_STARTED,
      message: text,
    })),
    {
      name: "such words of a proxy that did not get an answer",
      status: 596,
      phrase: "start worker failed",
      changes: true,
      reason: UNCERTAIN,
      message: "start worker failed (596): the change may have been carried out",
    },
    { name: "no words at all", status: 500, body: "<html>", reason: FAILED, message: "HTTP status 500" },
    {
      name: "a change without words",
      status: 500,
      body: "<html>",
      changes: true,
      reason: REFUSED,
      message: "HTTP status 500",
    },
    {
      name: "a body that is no object of the platform",
      status: 501,
      phrase: "Unexpected content for method 'DELETE'",
      body: '{"broken',
      reason: REFUSED,
      message: "Unexpected content for method 'DELETE'",
    },
    {
      name: "plain text behind a reason phrase that only names the status",
      status: 500,
      phrase: "Internal Server Error",
      body: "VM is locked (backup)\nat line 7\n",
      reason: LOCKED,
      message: "VM is locked (backup)",
    },
    {
      name: "the reason phrase alone of a page for browsers",
      status: 502,
      phrase: "Bad Gateway",
      body: "<!DOCTYPE html>\n<title>sorry</title>",
      reason: UNREACHABLE,
      message: `${PLACE} cannot be reached: Bad Gateway (502)`,
    },
    {
      name: "JSON behind a byte order mark",
      status: 500,
      phrase: "Internal Server Error",
      body: '\uFEFF{"data":null,"message":"CT is locked (snapshot)\\n"}',
      reason: LOCKED,
      message: "CT is locked (snapshot)",
    },
    {
      name: "refused parameters whose words are lost on the way",
      status: 400,
      phrase: "Bad Request",
      body: { data: null },
      reason: REFUSED,
      message: "Parameter verification failed.",
    },
    {
      name: "a change that was not taken",
      status: 429,
      phrase: "Too Many Requests",
      changes: true,
      reason: UNREACHABLE,
      message: `${PLACE} cannot be reached: Too Many Requests`,
    },
    {
      name: "a redirection",
      status: 301,
      phrase: "Moved Permanently",
      location: "https://pve.example:8006/",
      body: "<html>",
      reason: REFUSED,
      message: "it redirects to https://pve.example:8006/ (301): connect it under the address of its API",
    },
    { name: "what is not there", status: 404, phrase: "Not Found", reason: NOT_FOUND, message: "Not Found" },
    {
      name: "a node away",
      status: 595,
      phrase: "No route to host",
      reason: UNREACHABLE,
      message: `${PLACE} cannot be reached: no route to host`,
    },
    {
      name: "a question without an answer",
      status: 596,
      phrase: "Connection timed out",
      reason: UNREACHABLE,
      message: `${PLACE} cannot be reached: connection timed out (596)`,
    },
    {
      name: "a change without an answer",
      status: 596,
      phrase: "Connection timed out",
      changes: true,
      reason: UNCERTAIN,
      message: "Connection timed out (596): the change may have been carried out",
    },
  ];
  for (const { name, status, phrase = "", location = null, body = "", changes = false, reason, message } of answers) {
    it(`reads ${name}`, () => {
      const text = typeof body === "string" ? body : JSON.stringify(body);
      const error = refusalError(
        { status, reasonPhrase: phrase, location, body: text },
        { changes, place: PLACE, secrets: [] },
      );
      const words = message.startsWith(PLACE) ? message : `${PLACE}: ${message}`;
      assert.deepEqual([error.kind, error.reason, error.message, error.place], ["platform", reason, words, PLACE]);
    });
  }

  for (const words of ["cluster not ready - no quorum?", "cfs-lock 'file-user_cfg' error: no quorum!"]) {
    it(`recognizes a minority by its words: ${words}`, () => {
      const answer = { status: 500, reasonPhrase: words, location: null, body: "" };
      const error = refusalError(answer, { changes: true, place: PLACE, secrets: [] });
      assert.deepEqual([error.kind, error.reason], ["conflict", "NO_QUORUM"]);
      assert.equal(refusalError(answer, { changes: false, place: PLACE, secrets: [] }).kind, "platform");
    });
  }

  const longOne = (text: string) => {
    const answer = { status: 500, reasonPhrase: "", location: null, body: JSON.stringify({ message: text }) };
    return refusalError(answer, { changes: true, place: PLACE, secrets: ["", "Secr3t-1"] });
  };

  it("blanks out secrets that the platform repeats, and cuts endless texts", () => {
    const { message } = longOne(`bad value 'Secr3t-1' ${"x".repeat(5000)}`);
    assert.ok(message.startsWith(`${PLACE}: bad value '[secret]' xxx`));
    assert.ok(message.endsWith("x…"));
    assert.equal(message.length, `${PLACE}: `.length + 300);
  });

  it("passes on 300 characters whole", () => {
    assert.equal(longOne("x".repeat(300)).message, `${PLACE}: ${"x".repeat(300)}`);
  });

  it("reads the reason behind the characters that it passes on", () => {
    assert.equal(longOne(`${"x".repeat(500)}: VM 102 already exists`).reason, EXISTS);
  });

  it("leaves no part of a secret that lies where a text is cut", () => {
    assert.doesNotMatch(longOne(`${"x".repeat(295)}Secr3t-1${"x".repeat(99)}`).message, /Secr/);
  });
});
