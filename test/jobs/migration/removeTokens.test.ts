// What ended moves left on their targets is removed, whatever the other hosts and tokens are like.
import assert from "node:assert/strict";
import { sweepTokens } from "../../../jobs/migration/removeTokens.js";
import type { TokenName } from "../../../src/hypervisor/access.js";
import type { Hypervisor } from "../../../src/hypervisor/hypervisor.js";
import { platformError, PlatformReason } from "../../../src/hypervisor/platformError.js";
import { keptLog } from "../../support/log.js";
import { fromNow, plant } from "../../support/rows.js";
import { createTestServices, noPlatform, type TestServices } from "../../support/services.js";

const GONE = 1;
const HERE = 2;

/** More than are tried at a time. */
const MANY = 150;

const tokens = (hostId: number, count: number, user = "root@pam") =>
  Array.from({ length: count }, (_, index) => ({ host_id: hostId, user_name: user, token_name: `mig-${index}` }));

describe("jobs/migration/removeTokens", () => {
  let services: TestServices;
  let lines: readonly string[];
  let asked: number[];
  /** Why the host keeps the token; null: it lets it go. */
  let refusal: (token: TokenName) => Error | null;
  /** Whether the host has what the ledger has. */
  let hasThem: boolean;

  beforeEach(async () => {
    asked = [];
    refusal = () => null;
    hasThem = true;
    const kept = keptLog();
    lines = kept.lines;
    services = await createTestServices({
      log: kept.log,
      hypervisors: { ...noPlatform, of: (hostId) => Promise.resolve(host(hostId)) },
    });
    await plant(services.pool, {
      host: [{ name: "gone" }, { name: "here" }],
      temporary_token: tokens(GONE, MANY),
    });
  });
  afterEach(() => services.close());

  const leave = (count: number, user?: string): Promise<void> =>
    plant(services.pool, { temporary_token: tokens(HERE, count, user) });

  const leaveOf = (ageSeconds: number, secret: string | null): Promise<void> =>
    plant(services.pool, {
      temporary_token: [{ host_id: HERE, created_at: fromNow(-ageSeconds), secret_encrypted: secret }],
    });

  const left = async (hostId: number): Promise<number> => {
    const { rowCount } = await services.pool.query(
      `select from temporary_token where host_id = $1 and removed_at is null`,
      [hostId],
    );
    return rowCount ?? -1;
  };

  const host = (hostId: number): Hypervisor => {
    const known: Pick<Hypervisor, "tokens" | "deleteToken"> = {
      async tokens(user) {
        asked.push(hostId);
        if (hostId === GONE) throw platformError(PlatformReason.UNREACHABLE, "the host is away");
        const { rows } = await services.pool.query<{ name: string }>(
          `select token_name as name from temporary_token where host_id = $1 and user_name = $2 and removed_at is null`,
          [hostId, user],
        );
        return hasThem ? rows.map(({ name }) => name) : [];
      },
      deleteToken(token) {
        const refused = refusal(token);
        return refused === null ? Promise.resolve() : Promise.reject(refused);
      },
    };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing else is asked
    return known as Hypervisor;
  };

  it("is not kept from the tokens of one host by those of another that is away, which is asked once", async () => {
    await leave(3);
    assert.equal(await sweepTokens(services), 3);
    assert.deepEqual([await left(HERE), await left(GONE)], [0, MANY]);
    assert.equal(asked.filter((id) => id === GONE).length, 1);
  });

  it("is not kept from any token by those that their host does not let go", async () => {
    await leave(MANY, "former@pve");
    await leave(1);
    refusal = ({ user }) =>
      user === "root@pam" ? null : platformError(PlatformReason.FORBIDDEN, "Permission check failed");
    while ((await left(HERE)) > MANY) await sweepTokens(services);
    assert.equal(await left(HERE), MANY);
  });

  it("removes a token whose access rules on record cannot be read, and warns that they stay", async () => {
    await leave(1);
    await services.pool.query(`update temporary_token set grants = '[{"path": 7}]' where host_id = $1`, [HERE]);
    assert.deepEqual([await sweepTokens(services), await left(HERE)], [1, 0]);
    const warning = "warn: the access rules of a temporary token cannot be read, and stay";
    assert.equal(lines.filter((line) => line === warning).length, 1);
  });

  describe("that the host does not have", () => {
    beforeEach(() => {
      hasThem = false;
    });

    it("are looked for until none can be made any more", async () => {
      await leaveOf(0, null);
      assert.deepEqual([await sweepTokens(services), await left(HERE)], [0, 1]);
      await services.pool.query(`update temporary_token set created_at = created_at - interval '1 minute'`);
      assert.deepEqual([await sweepTokens(services), await left(HERE)], [1, 0]);
    });

    it("are removed, then, if they were made meanwhile", async () => {
      await leaveOf(1, null);
      assert.equal(await sweepTokens(services), 0);
      hasThem = true;
      assert.deepEqual([await sweepTokens(services), await left(HERE)], [1, 0]);
    });

    it("are looked for no longer when it is on record that they were made", async () => {
      await leaveOf(1, "sealed");
      assert.deepEqual([await sweepTokens(services), await left(HERE)], [1, 0]);
    });
  });
});
