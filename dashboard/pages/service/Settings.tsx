// What governs placement, balancing, moves, retention, and signing in.
import { Button, Checkbox, Grid, Group, NumberInput, Stack, Text, type NumberInputProps } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useEffect, useRef } from "react";
import { useAct } from "../../client/act.js";
import { useLive } from "../../client/live.js";
import { useViewer } from "../../client/viewer.js";
import { Answer } from "../../components/Answer.js";
import { Page } from "../../components/Page.js";
import { Section } from "../../components/Section.js";
import { useUnsaved } from "../../components/unsaved.js";
import {
  SettingsDocument,
  UpdateSettingsDocument,
  type SettingsWholeFragment,
  type UserRole,
} from "../../generated/documents.js";
import { SETTINGS, bySetting, settingEntries, type SettingName } from "../../../src/core/settings.js";
import { grantableBy, ROLES } from "../people/roles.js";
import { sections, settings, texts } from "../../texts/settings.js";
import { roleLabel } from "../../texts/terms.js";

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

interface Values extends Record<SettingName, number | string> {
  readonly secondFactorRoles: readonly string[];
}

/** One by one: the client's records also carry their type's name, which is no setting. */
const valuesOf = (stored: SettingsWholeFragment): Values => ({
  ...bySetting((name) => stored[name] ?? ""),
  secondFactorRoles: inOrder(stored.secondFactorRoles),
});

/** However they were chosen: the same roles are no change. */
const inOrder = (roles: readonly string[]): UserRole[] => ROLES.filter((role) => roles.includes(role));

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
    const entries = Object.entries(changed).map(([name, value]) => [name, inputOf(value)]);
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
                {section === "sessions" && (
                  <SecondFactorRoles
                    value={[...form.values.secondFactorRoles]}
                    onChange={(roles) => form.setFieldValue("secondFactorRoles", roles)}
                  />
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
  const now = Object.entries({ ...typed, secondFactorRoles: inOrder(typed.secondFactorRoles) });
  return Object.fromEntries(now.filter(([name, value]) => String(before.get(name)) !== String(value)));
}

/** A value as the service takes it. */
function inputOf(value: number | string | readonly string[]): number | readonly string[] | null {
  if (typeof value === "object") return value;
  return value === "" ? null : Number(value);
}

interface RolesProperties {
  readonly value: string[];
  readonly onChange: (roles: string[]) => void;
}

/** Of roles that the viewer may not give others, they see only how it is. */
function SecondFactorRoles(input: RolesProperties) {
  const viewer = useViewer();
  const grantable = viewer === undefined ? [] : grantableBy(viewer);
  return (
    <Checkbox.Group label={texts.secondFactorRoles} description={texts.secondFactorNote} {...input}>
      <Group gap="md" mt={6}>
        {ROLES.map((role) => (
          <Checkbox key={role} value={role} label={roleLabel(role)} disabled={!grantable.includes(role)} />
        ))}
      </Group>
    </Checkbox.Group>
  );
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
