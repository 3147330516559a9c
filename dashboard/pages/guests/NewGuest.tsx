// Creates a guest: the form on the left, beside it where it would go now and why nowhere else.
import {
  Alert,
  Button,
  Grid,
  Group,
  NumberInput,
  PasswordInput,
  Stack,
  Text,
  Textarea,
  TextInput,
} from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useQuery } from "urql";
import { useAct } from "../../client/act.js";
import { focusWrong, markWrong } from "../../components/focusWrong.js";
import { GuestTypeChoice } from "../../components/GuestTypeChoice.js";
import { useHostOrFirst } from "../../components/HostChoice.js";
import { useHostNames } from "../../components/hostNames.js";
import { HostSelect } from "../../components/HostSelect.js";
import { JobProgress } from "../../components/JobProgress.js";
import { ButtonLink, TextLink } from "../../components/links.js";
import { NodeSelect } from "../../components/NodeSelect.js";
import { Page } from "../../components/Page.js";
import { PlacementPreview } from "../../components/PlacementPreview.js";
import { PlanSelect } from "../../components/PlanSelect.js";
import { Section } from "../../components/Section.js";
import { useUnsaved } from "../../components/unsaved.js";
import { UserSelect } from "../../components/UserSelect.js";
import { ZoneSelect } from "../../components/ZoneSelect.js";
import { CreateGuestDocument, NextVmidDocument, type CreateGuestMutation } from "../../generated/documents.js";
import {
  AUTO,
  CUSTOM,
  figuresOf,
  inputOf,
  sizeOf,
  useGuestForm,
  type GuestForm,
  type GuestValues,
} from "./newGuestForm.js";
import { TEMPLATE_FIELDS } from "./guestTemplates.js";
import { TemplateSelect } from "./TemplateSelect.js";
import { texts } from "../../texts/newGuest.js";

type Queued = CreateGuestMutation["createGuest"];

export function NewGuest() {
  const { hostId } = useSearch({ from: "/shell/guests/new" });
  const [queued, setQueued] = useState<(Queued & { readonly name: string }) | null>(null);
  return (
    <Page title={texts.title} above={[<TextLink to="/guests">{texts.guests}</TextLink>]}>
      {queued === null ? (
        <CreateForm hostId={hostId} created={setQueued} />
      ) : (
        <Created queued={queued} another={() => setQueued(null)} />
      )}
    </Page>
  );
}

interface CreateFormProperties {
  readonly hostId: number | undefined;
  readonly created: (queued: Queued & { readonly name: string }) => void;
}

function CreateForm({ hostId, created }: CreateFormProperties) {
  const form = useGuestForm(hostId);
  const { values } = form;
  useUnsaved(() => form.isDirty());
  const size = sizeOf(values);
  const [create, busy] = useAct(CreateGuestDocument, {
    failed: texts.failed(values.name),
    refused: markWrong(form, { ...TEMPLATE_FIELDS, planId: "plan", ipSource: "address" }),
  });
  async function submit(wanted: GuestValues): Promise<void> {
    const { hostId: chosen, input } = inputOf(wanted);
    const done = await create({ hostId: chosen, input });
    if (done === null) return;
    form.resetDirty();
    created({ ...done.createGuest, name: wanted.name });
  }
  return (
    <form onSubmit={form.onSubmit((wanted) => void submit(wanted), focusWrong(form))} noValidate>
      <Grid gap="sm">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Stack gap="sm">
            <What form={form} />
            <Where form={form} />
            <Access form={form} />
            <Group>
              <Button type="submit" size="sm" loading={busy}>
                {texts.create(values.name)}
              </Button>
            </Group>
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Section title={texts.preview}>
            <PlacementPreview
              request={
                size === null
                  ? null
                  : { ...size, type: values.type, hostId: values.hostId === AUTO ? null : Number(values.hostId) }
              }
              chosenNode={values.node === AUTO ? null : values.node}
            />
          </Section>
        </Grid.Col>
      </Grid>
    </form>
  );
}

function What({ form }: { readonly form: GuestForm }) {
  const { values } = form;
  const isAnyHost = values.hostId === AUTO;
  // The library is the same on every host.
  const { hostId = null } = useHostOrFirst(isAnyHost ? undefined : Number(values.hostId));
  return (
    <Section title={texts.guest}>
      <Stack gap="xs">
        <GuestTypeChoice value={values.type} onChoose={(type) => form.setValues({ type, template: null })} />
        <div className="fields">
          <TextInput label={texts.name} placeholder={texts.nameExample} {...form.getInputProps("name")} />
          <TemplateSelect
            label={texts.template}
            placeholder={values.type === "QEMU" && isAnyHost ? texts.selectHostFirst : texts.selectTemplate}
            type={values.type}
            hostId={hostId}
            node={values.node === AUTO ? null : values.node}
            libraryOnly={isAnyHost}
            {...form.getInputProps("template")}
          />
        </div>
        <PlanSelect
          label={texts.size}
          standing={[{ value: CUSTOM, label: texts.customSize }]}
          allowDeselect={false}
          {...form.getInputProps("plan")}
          onChange={(plan, size) => form.setValues({ plan: plan ?? CUSTOM, ...(size === null ? {} : figuresOf(size)) })}
        />
        {values.plan === CUSTOM && (
          <div className="fields fields-of-figures">
            <NumberInput label={texts.cores} min={1} {...form.getInputProps("cores")} />
            <NumberInput label={texts.ram} min={16} step={512} {...form.getInputProps("memoryMb")} />
            <NumberInput label={texts.disk} min={1} {...form.getInputProps("diskGb")} />
          </div>
        )}
      </Stack>
    </Section>
  );
}

function Where({ form }: { readonly form: GuestForm }) {
  const { values } = form;
  const hostId = values.hostId === AUTO ? null : Number(values.hostId);
  return (
    <Section title={texts.placement}>
      <Stack gap="xs">
        <div className="fields">
          <HostSelect
            label={texts.host}
            standing={[{ value: AUTO, label: texts.automaticPlacement }]}
            allowDeselect={false}
            {...form.getInputProps("hostId")}
            onChange={(next) => form.setValues({ hostId: next ?? AUTO, node: AUTO, template: null, address: "dhcp" })}
          />
          <NodeSelect
            label={texts.node}
            hostId={hostId}
            standing={[{ value: AUTO, label: texts.automaticPlacement }]}
            allowDeselect={false}
            {...form.getInputProps("node")}
          />
          <ZoneSelect
            label={texts.address}
            hostId={hostId}
            standing={[{ value: "dhcp", label: texts.dhcp }]}
            allowDeselect={false}
            {...form.getInputProps("address")}
          />
        </div>
        {hostId !== null && values.node !== AUTO && <VmidInput form={form} hostId={hostId} />}
      </Stack>
    </Section>
  );
}

function VmidInput({ form, hostId }: { readonly form: GuestForm; readonly hostId: number }) {
  const [{ data }] = useQuery({ query: NextVmidDocument, variables: { hostId } });
  return (
    <NumberInput
      label={texts.vmid}
      description={data === undefined ? undefined : texts.lowestVmid(data.nextVmid)}
      min={100}
      {...form.getInputProps("vmid")}
    />
  );
}

function Access({ form }: { readonly form: GuestForm }) {
  return (
    <Section title={texts.access}>
      <Stack gap="xs">
        <div className="fields">
          <UserSelect label={texts.owner} placeholder={texts.noOwner} {...form.getInputProps("ownerId")} />
          <PasswordInput
            label={texts.initialPassword}
            autoComplete="new-password"
            {...form.getInputProps("password")}
          />
        </div>
        <Textarea
          label={texts.sshKeys}
          description={texts.sshKeysHint}
          autosize
          minRows={2}
          maxRows={8}
          {...form.getInputProps("sshKeys")}
        />
      </Stack>
    </Section>
  );
}

interface CreatedProperties {
  readonly queued: Queued & { readonly name: string };
  readonly another: () => void;
}

function Created({ queued, another }: CreatedProperties) {
  const navigate = useNavigate();
  const { nameOf } = useHostNames();
  const [done, setDone] = useState(false);
  const { placement, vmid, name, jobId } = queued;
  return (
    <Section title={texts.heading(name, vmid)}>
      <Stack gap="sm">
        <Text fz="sm">
          {texts.placed(nameOf(placement.hostId), placement.node, placement.storage)} {placement.explanation}
        </Text>
        <JobProgress id={jobId} onEnd={({ status }) => setDone(status === "DONE")} />
        {done && <Alert color="teal">{texts.running(name)}</Alert>}
        <Group gap="xs">
          <ButtonLink
            to="/guests"
            search={{ hostId: placement.hostId, search: String(vmid) }}
            variant={done ? "filled" : "default"}
          >
            {texts.showGuest}
          </ButtonLink>
          <Button variant="default" onClick={another}>
            {texts.createAnother}
          </Button>
          <Button variant="default" onClick={() => void navigate({ to: "/guests" })}>
            {texts.allGuests}
          </Button>
        </Group>
      </Stack>
    </Section>
  );
}
