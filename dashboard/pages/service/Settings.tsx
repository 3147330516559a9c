// What governs placement, balancing, moves and retention.
import { Button, Grid, Group, NumberInput, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useEffect, useRef } from "react";
import { useAct } from "../../client/act.js";
import { useLive } from "../../client/live.js";
import { Answer } from "../../components/Answer.js";
import { Page } from "../../components/Page.js";
import { Section } from "../../components/Section.js";
import { useUnsaved } from "../../components/unsaved.js";
import { SettingsDocument, UpdateSettingsDocument, type SettingsWholeFragment } from "../../generated/documents.js";
import { texts } from "../../texts/settings.js";

export function Settings() {
  const live = useLive({ query: SettingsDocument, variables: {}, kinds: ["SETTINGS"] });
  return (
    <Page title={texts.title} readAt={live.readAt}>
      <Answer live={live} lines={10}>
        {({ settings }) => <SettingsForm settings={settings} />}
      </Answer>
    </Page>
  );
}

type Values = Record<keyof SettingsWholeFragment, number | string>;

/** Named one by one: the client's records also carry their type's name, which is no setting. */
const valuesOf = (settings: SettingsWholeFragment): Values => ({
  cpuThresholdPercent: settings.cpuThresholdPercent,
  ramThresholdPercent: settings.ramThresholdPercent,
  cpuWeight: settings.cpuWeight,
  ramWeight: settings.ramWeight,
  storageWeight: settings.storageWeight,
  maxSuggestions: settings.maxSuggestions,
  migrationBandwidthMib: settings.migrationBandwidthMib ?? "",
  requestLogRetentionDays: settings.requestLogRetentionDays,
  addressHistoryRetentionDays: settings.addressHistoryRetentionDays,
  safetyCopyRetentionDays: settings.safetyCopyRetentionDays,
});

function SettingsForm({ settings }: { readonly settings: SettingsWholeFragment }) {
  const [update, busy] = useAct(UpdateSettingsDocument, {
    done: () => texts.saved,
    failed: texts.failed,
  });
  const known = useRef(valuesOf(settings));
  const form = useForm<Values>({
    initialValues: known.current,
    validate: {
      cpuThresholdPercent: percentage,
      ramThresholdPercent: percentage,
      cpuWeight: given,
      ramWeight: given,
      storageWeight: given,
      maxSuggestions: given,
      requestLogRetentionDays: given,
      addressHistoryRetentionDays: given,
      safetyCopyRetentionDays: given,
    },
  });
  const changed = changesOf(known.current, form.values);
  const isChanged = Object.keys(changed).length > 0;
  useUnsaved(() => Object.keys(changesOf(known.current, form.getValues())).length > 0);
  const follow = (fresh: Values, typed: Partial<Values>): void => {
    known.current = fresh;
    form.setValues({ ...fresh, ...typed });
  };
  // What somebody else changes meanwhile is shown, and what is being typed here stays.
  useEffect(() => follow(valuesOf(settings), changed), [JSON.stringify(settings)]);

  /** Only what was changed here: the rest stays as others have set it. */
  async function save(): Promise<void> {
    const entries = Object.entries(changed).map(([name, value]) => [name, value === "" ? null : Number(value)]);
    const saved = await update({ input: Object.fromEntries(entries) });
    if (saved !== null) follow(valuesOf(saved.updateSettings), {});
  }
  return (
    <form onSubmit={form.onSubmit(() => void save())} noValidate>
      <Grid gap="sm">
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Section title={texts.balancing}>
            <Stack gap="xs">
              <NumberInput
                label={texts.cpuThreshold}
                description={texts.cpuThresholdHint}
                min={1}
                max={100}
                {...form.getInputProps("cpuThresholdPercent")}
              />
              <NumberInput
                label={texts.ramThreshold}
                description={texts.ramThresholdHint}
                min={1}
                max={100}
                {...form.getInputProps("ramThresholdPercent")}
              />
              <NumberInput label={texts.maxRecommendations} min={1} {...form.getInputProps("maxSuggestions")} />
            </Stack>
          </Section>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Section title={texts.placement}>
            <Stack gap="xs">
              <NumberInput label={texts.ramWeight} min={0} step={0.1} {...form.getInputProps("ramWeight")} />
              <NumberInput label={texts.cpuWeight} min={0} step={0.1} {...form.getInputProps("cpuWeight")} />
              <NumberInput label={texts.storageWeight} min={0} step={0.1} {...form.getInputProps("storageWeight")} />
              <Text fz="xs" c="dimmed">
                {texts.weightsHint}
              </Text>
            </Stack>
          </Section>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Section title={texts.migrations}>
            <Stack gap="xs">
              <NumberInput
                label={texts.bandwidth}
                placeholder={texts.platformDefault}
                min={1}
                {...form.getInputProps("migrationBandwidthMib")}
              />
              <NumberInput
                label={texts.safetyCopyRetention}
                min={0}
                {...form.getInputProps("safetyCopyRetentionDays")}
              />
            </Stack>
          </Section>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Section title={texts.retention}>
            <Stack gap="sm">
              <NumberInput
                label={texts.requestLogRetention}
                min={1}
                {...form.getInputProps("requestLogRetentionDays")}
              />
              <NumberInput
                label={texts.addressHistoryRetention}
                min={1}
                {...form.getInputProps("addressHistoryRetentionDays")}
              />
            </Stack>
          </Section>
        </Grid.Col>
      </Grid>
      <Group mt="sm">
        <Button type="submit" size="sm" loading={busy} disabled={!isChanged}>
          {texts.save}
        </Button>
        <Button variant="default" size="sm" disabled={!isChanged} onClick={() => follow(known.current, {})}>
          {texts.discard}
        </Button>
      </Group>
    </form>
  );
}

/** What was typed over what is known. */
function changesOf(known: Values, typed: Values): Partial<Values> {
  const before = new Map(Object.entries(known));
  return Object.fromEntries(Object.entries(typed).filter(([name, value]) => before.get(name) !== value));
}

const given = (value: number | string): string | null => (value === "" ? texts.numberMissing : null);
const percentage = (value: number | string): string | null =>
  Number(value) > 0 && Number(value) <= 100 ? null : texts.percentWrong;
