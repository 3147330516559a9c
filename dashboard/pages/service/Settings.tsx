// What governs placement, balancing, moves and retention.
import { Button, Grid, Group, NumberInput, Stack, Text, type NumberInputProps } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useEffect, useRef } from "react";
import { useAct } from "../../client/act.js";
import { useLive } from "../../client/live.js";
import { Answer } from "../../components/Answer.js";
import { Page } from "../../components/Page.js";
import { Section } from "../../components/Section.js";
import { useUnsaved } from "../../components/unsaved.js";
import { SettingsDocument, UpdateSettingsDocument, type SettingsWholeFragment } from "../../generated/documents.js";
import { SETTINGS, bySetting, settingEntries, type SettingName } from "../../../src/core/settings.js";
import { sections, settings, texts } from "../../texts/settings.js";

export function Settings() {
  const live = useLive({ query: SettingsDocument, variables: {}, kinds: ["SETTINGS"] });
  return (
    <Page title={texts.title} readAt={live.readAt}>
      <Answer live={live} lines={10}>
        {(answer) => <SettingsForm stored={answer.settings} />}
      </Answer>
    </Page>
  );
}

const WEIGHT_STEP = 0.1;

type Values = Record<SettingName, number | string>;

/** One by one: the client's records also carry their type's name, which is no setting. */
const valuesOf = (stored: SettingsWholeFragment): Values => bySetting((name) => stored[name] ?? "");

function SettingsForm({ stored }: { readonly stored: SettingsWholeFragment }) {
  const [update, busy] = useAct(UpdateSettingsDocument, {
    done: () => texts.saved,
    failed: texts.failed,
  });
  const known = useRef(valuesOf(stored));
  const form = useForm<Values>({
    initialValues: known.current,
    validate: bySetting((name) => (value: number | string) => faultOf(name, value)),
  });
  const changed = changesOf(known.current, form.values);
  const isChanged = Object.keys(changed).length > 0;
  useUnsaved(() => Object.keys(changesOf(known.current, form.getValues())).length > 0);
  const follow = (fresh: Values, typed: Partial<Values>): void => {
    known.current = fresh;
    form.setValues({ ...fresh, ...typed });
  };
  // What somebody else changes meanwhile is shown, and what is being typed here stays.
  useEffect(() => follow(valuesOf(stored), changed), [JSON.stringify(stored)]);

  /** Only what was changed here: the rest stays as others have set it. */
  async function save(): Promise<void> {
    const entries = Object.entries(changed).map(([name, value]) => [name, value === "" ? null : Number(value)]);
    const saved = await update({ input: Object.fromEntries(entries) });
    if (saved !== null) follow(valuesOf(saved.updateSettings), {});
  }
  return (
    <form onSubmit={form.onSubmit(() => void save())} noValidate>
      <Grid gap="sm">
        {Object.entries(sections).map(([section, shown]) => (
          <Grid.Col key={section} span={{ base: 12, md: 6 }}>
            <Section title={shown.title}>
              <Stack gap="xs">
                {settingEntries.map(([name]) =>
                  settings[name].section === section ? (
                    <SettingInput key={name} name={name} {...form.getInputProps(name)} />
                  ) : null,
                )}
                {"note" in shown && (
                  <Text fz="xs" c="dimmed">
                    {shown.note}
                  </Text>
                )}
              </Stack>
            </Section>
          </Grid.Col>
        ))}
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

type InputProperties = Omit<NumberInputProps, "name"> & { readonly name: SettingName };

function SettingInput({ name, ...input }: InputProperties) {
  const { least, most, unit } = SETTINGS[name];
  return (
    <NumberInput
      label={settings[name].label}
      description={settings[name].description}
      placeholder={settings[name].none}
      min={least}
      max={most}
      step={unit === "weight" ? WEIGHT_STEP : 1}
      {...input}
    />
  );
}

function faultOf(name: SettingName, value: number | string): string | null {
  const { least, most, initial } = SETTINGS[name];
  if (value === "") return initial === null ? null : texts.numberMissing;
  return Number(value) >= least && Number(value) <= most ? null : texts.outOfRange(least, most);
}
