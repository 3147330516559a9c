// Which refusals of a move's token are decisions of the platform, in its words, and which may pass by themselves.
import assert from "node:assert/strict";
import { PlatformReason } from "../../../../src/hypervisor/platformError.js";
import { TokenRefused } from "../../../../src/hypervisor/rights.js";
import { Cleanup, scripted } from "../../support/driver.js";
import { refusal } from "../../support/rejection.js";
import type { Script } from "../../support/scriptedHost.js";

const TOKEN = { user: "root@pam", name: "mig-1", expiresAt: new Date(0), separated: true, comment: "a move" };
const VALUE = "0d9e6c1a-7f3b-4c55-9a3e-2b7f8f1f0c11";

describe("hypervisor/proxmox/rights: the platform's decision on a token", () => {
  const cleanup = new Cleanup();
  afterEach(() => cleanup.run());

  const creation = async (answer: Script): Promise<Promise<string>[]> => {
    const { driver } = await scripted(cleanup, () => answer);
    return [driver.createToken(TOKEN)];
  };

  const decisions: [what: string, answer: Script, words: string][] = [
    ["a policy's", { status: 403, reason: "API tokens are switched off" }, "API tokens are switched off"],
    [
      "a missing privilege's, which is named",
      { status: 403, reason: "Permission check failed" },
      "it lacks User.Modify on /access/groups (Permission check failed)",
    ],
    [
      "a parameter's",
      { status: 400, reason: "Parameter verification failed.", body: { errors: { expire: "lives too long" } } },
      "Parameter verification failed. expire: lives too long",
    ],
    ["a parameter's that is lost on the way", { status: 400 }, "Parameter verification failed."],
    [
      "a policy's that comes under the lock of the tokens",
      { status: 500, reason: "error during cfs-locked 'file-user_cfg' operation: no tokens of root@pam" },
      "error during cfs-locked 'file-user_cfg' operation: no tokens of root@pam",
    ],
    [
      "one that repeats a value and has control characters",
      { status: 500, body: { message: `token root@pam!mig-1=${VALUE.toUpperCase()}\u0000 is refused` } },
      "token root@pam!mig-1=[secret] is refused",
    ],
  ];
  for (const [what, answer, words] of decisions) {
    it(`is ${what}`, async () => {
      const [made] = await creation(answer);
      await assert.rejects(made ?? Promise.resolve(), (error) => {
        assert.ok(error instanceof TokenRefused);
        assert.equal(error.message, words);
        return true;
      });
    });
  }

  const { AUTHENTICATION, EXISTS, FORBIDDEN, LOCKED, NOT_STARTED, REFUSED, UNCERTAIN, UNREACHABLE } = PlatformReason;
  const passing: [what: string, answer: Script, reason: PlatformReason, words: string][] = [
    ["a lock", { status: 500, reason: "can't lock file '/etc/pve/x' - got timeout" }, LOCKED, "can't lock file"],
    ["a lock's time-out", { status: 500, reason: "got lock timeout - aborting command" }, REFUSED, "aborting"],
    ["a lock of the cluster", { status: 500, reason: "error with cfs lock 'file-user_cfg': no luck" }, REFUSED, "cfs"],
    ["a full disk", { status: 500, reason: "close failed - No space left on device" }, REFUSED, "No space left"],
    ["a cluster's file system", { status: 500, reason: "ipcc_send_rec[1] failed: refused" }, REFUSED, "ipcc_send_rec"],
    ["a file", { status: 500, reason: "unable to open file '/etc/pve/priv/token.cfg.tmp.1'" }, REFUSED, "open file"],
    ["a process", { status: 500, reason: "start worker failed" }, NOT_STARTED, "start worker failed"],
    [
      "a taken name",
      { status: 400, body: { errors: { tokenid: "Token already exists." } } },
      EXISTS,
      "Token already exists",
    ],
    ["a credential", { status: 401, reason: "authentication failure" }, AUTHENTICATION, "authentication failure"],
    [
      "a fault of another kind",
      { status: 500, reason: "undefined value at User.pm line 7" },
      REFUSED,
      "undefined value",
    ],
    ["a fault without words", { status: 500, reason: "Internal Server Error" }, REFUSED, "Internal Server Error"],
    ["a page that forbids", { status: 403, reason: "Forbidden", body: "<html>" }, FORBIDDEN, "Forbidden"],
    ["a page that redirects", { status: 302, reason: "Found" }, REFUSED, "it redirects"],
    ["a path that is not known", { status: 501, reason: "Method not implemented" }, REFUSED, "not implemented"],
    ["too many requests", { status: 429, reason: "Slow down" }, UNREACHABLE, "slow down"],
    ["a gateway", { status: 504, reason: "Too late" }, UNCERTAIN, "Too late"],
    ["a broken connection", "drop", UNCERTAIN, "did not answer"],
  ];
  for (const [what, answer, reason, words] of passing) {
    it(`is not what is reported for ${what}`, async () => {
      const [made] = await creation(answer);
      await refusal(made ?? Promise.resolve(), reason, words);
    });
  }
});
