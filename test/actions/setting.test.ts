// Tests that settings change as asked, within their bounds, or not at all.
import assert from "node:assert/strict";
import { updateSettings } from "../../src/actions/setting.js";
import { settingColumn, settingEntries, type SettingChanges } from "../../src/core/settings.js";
import { contextOf, managingToken, tokenViewer } from "../support/context.js";
import { refusedAs, refusedFields } from "../support/refusal.js";
import { createTestServices, type TestServices } from "../support/services.js";

describe("actions/setting", () => {
  let services: TestServices;
  before(async () => {
    services = await createTestServices();
  });
  after(() => services.close());

  const update = (input: SettingChanges) => updateSettings(contextOf(services, managingToken()), input);

  async function stored(): Promise<Record<string, unknown>> {
    return (await services.pool.query("select * from setting")).rows[0];
  }

  it("start with the defaults of the table of settings", async () => {
    const initial = settingEntries.map(([name, setting]) => [settingColumn(name), setting.initial]);
    assert.deepEqual(await stored(), { one_row: true, second_factor_roles: [], ...Object.fromEntries(initial) });
  });

  it("changes what is given and leaves the rest", async () => {
    const before = await stored();
    await update({ ramWeight: 0, maxSuggestions: 3, migrationBandwidthMib: 100 });
    assert.deepEqual(await stored(), { ...before, ram_weight: 0, max_suggestions: 3, migration_bandwidth_mib: 100 });
    await update({ cpuWeight: null });
    assert.equal((await stored())["migration_bandwidth_mib"], 100);
    await update({ migrationBandwidthMib: null });
    assert.equal((await stored())["migration_bandwidth_mib"], null);
  });

  it("changes nothing where nothing is given", async () => {
    const before = await stored();
    await update({ maxSuggestions: null });
    assert.deepEqual(await stored(), before);
  });

  const refusals: readonly (readonly [input: SettingChanges, fields: readonly string[]])[] = [
    [{ ramWeight: -0.1 }, ["ramWeight"]],
    [{ ramThresholdPercent: 0 }, ["ramThresholdPercent"]],
    [{ cpuThresholdPercent: 100.1 }, ["cpuThresholdPercent"]],
    [{ maxSuggestions: 0 }, ["maxSuggestions"]],
    [
      { safetyCopyRetentionDays: -1, requestLogRetentionDays: 0, addressHistoryRetentionDays: 0 },
      ["safetyCopyRetentionDays", "requestLogRetentionDays", "addressHistoryRetentionDays"],
    ],
    [{ migrationBandwidthMib: 0 }, ["migrationBandwidthMib"]],
    [{ lockWaitSeconds: 3_601, clonesPerTemplate: 0 }, ["lockWaitSeconds", "clonesPerTemplate"]],
    [{ ramWeight: 0, cpuWeight: 0, storageWeight: 0 }, ["ramWeight", "cpuWeight", "storageWeight"]],
    [{ ramWeight: Number.NaN }, ["ramWeight"]],
  ];
  for (const [input, fields] of refusals) {
    it(`refuses ${JSON.stringify(input)} and changes nothing`, async () => {
      const before = await stored();
      await refusedFields(fields, update(input));
      assert.deepEqual(await stored(), before);
    });
  }

  it("is for those who manage hosts", () =>
    refusedAs("forbidden", updateSettings(contextOf(services, tokenViewer()), { maxSuggestions: 5 })));
});
