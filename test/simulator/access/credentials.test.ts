// Tests credentials: tokens, their expiry, passwords, tickets and CSRF tokens.
import assert from "node:assert/strict";
import { ApiError } from "../../../simulator/api.js";
import { Asker, panel, standalone } from "../asking.js";

const secret = "00000000-0000-4000-8000-000000000001";

function refusal(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    assert.ok(error instanceof ApiError);
    assert.equal(error.status, 401);
    return error.message;
  }
  return "accepted";
}

describe("simulator: credentials", () => {
  it("MUST accept the right token and only it", () => {
    const { credentials } = standalone();
    assert.equal(credentials.verifyToken(`${panel}=${secret}`).label, panel);
    for (const wrong of [`${panel}=${secret}x`, `root@pam!nosuch=${secret}`, `ghost@pve!t1=${secret}`, "nonsense", ""])
      assert.equal(
        refusal(() => credentials.verifyToken(wrong)),
        "Authentication failed!",
        wrong,
      );
  });

  it("MUST report more before 9.2", () => {
    const { credentials } = standalone({ release: "8.4" });
    const texts: [string, string][] = [
      [`${panel}=wrong`, "invalid token value!"],
      [`root@pam!nosuch=${secret}`, "no such token 'nosuch' for user 'root@pam'"],
      [`ghost@pve!t1=${secret}`, "no such user ('ghost@pve')"],
    ];
    for (const [value, text] of texts)
      assert.equal(
        refusal(() => credentials.verifyToken(value)),
        text,
      );
  });

  it("MUST refuse expired tokens and go on listing them", async () => {
    const asker = new Asker(standalone());
    const made = await asker.record("POST /access/users/root@pam/token/short", { expire: "1", privsep: "0" });
    assert.equal(
      refusal(() => asker.platform.credentials.verifyToken(`root@pam!short=${String(made.value)}`)),
      "Authentication failed!",
    );
    assert.equal((await asker.rows("GET /access/users/root@pam/token")).length, 2);
  });

  it("MUST issue tickets for passwords and renew them for themselves", async () => {
    const asker = new Asker(standalone());
    const login = await asker
      .as("root@pam")
      .record("POST /access/ticket", { username: "root@pam", password: "root-password" });
    const { credentials } = asker.platform;
    assert.deepEqual(credentials.verifyTicket(String(login.ticket)), {
      user: "root@pam",
      tokenId: null,
      label: "root@pam",
      ticket: true,
    });
    assert.ok(credentials.verifyCsrfToken("root@pam", String(login.CSRFPreventionToken)));
    assert.ok(!credentials.verifyCsrfToken("ops@pve", String(login.CSRFPreventionToken)));
    assert.ok(credentials.verifyPassword("root@pam", String(login.ticket)));
    assert.equal(
      refusal(() => credentials.verifyTicket(`${String(login.ticket)}x`)),
      "Authentication failed!",
    );
    const wrong = await asker.as("root@pam").ask("POST /access/ticket", { username: "root@pam", password: "wrong" });
    assert.deepEqual(wrong, { status: 401, message: "authentication failure" });
  });
});
