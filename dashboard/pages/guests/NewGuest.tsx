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

type Queued = CreateGuestMutation["createGuest"];

export function NewGuest() {
  const { hostId } = useSearch({ from: "/shell/guests/new" });
  const [queued, setQueued] = useState<(Queued & { readonly name: string }) | null>(null);
  return (
    <Page title="New guest" above={[<TextLink to="/guests">Guests</TextLink>]}>
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
    failed: `${values.name || "The guest"} is not created`,
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
                Create {values.name}
              </Button>
            </Group>
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Section title="Where it would go now">
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
    <Section title="What">
      <Stack gap="xs">
        <GuestTypeChoice value={values.type} onChoose={(type) => form.setValues({ type, template: null })} />
        <div className="fields">
          <TextInput label="Name" placeholder="web1.example.com" {...form.getInputProps("name")} />
          <TemplateSelect
            label="Template"
            placeholder={values.type === "QEMU" && isAnyHost ? "Choose a host first" : "What to install"}
            type={values.type}
            hostId={hostId}
            node={values.node === AUTO ? null : values.node}
            libraryOnly={isAnyHost}
            {...form.getInputProps("template")}
          />
        </div>
        <PlanSelect
          label="Size"
          standing={[{ value: CUSTOM, label: "Of its own size" }]}
          allowDeselect={false}
          {...form.getInputProps("plan")}
          onChange={(plan, size) => form.setValues({ plan: plan ?? CUSTOM, ...(size === null ? {} : figuresOf(size)) })}
        />
        {values.plan === CUSTOM && (
          <div className="fields fields-of-figures">
            <NumberInput label="CPU cores" min={1} {...form.getInputProps("cores")} />
            <NumberInput label="RAM, MiB" min={16} step={512} {...form.getInputProps("memoryMb")} />
            <NumberInput label="Disk, GiB" min={1} {...form.getInputProps("diskGb")} />
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
    <Section title="Where">
      <Stack gap="xs">
        <div className="fields">
          <HostSelect
            label="Host"
            standing={[{ value: AUTO, label: "The best of all hosts" }]}
            allowDeselect={false}
            {...form.getInputProps("hostId")}
            onChange={(next) => form.setValues({ hostId: next ?? AUTO, node: AUTO, template: null, address: "dhcp" })}
          />
          <NodeSelect
            label="Node"
            hostId={hostId}
            standing={[{ value: AUTO, label: "The best node" }]}
            allowDeselect={false}
            {...form.getInputProps("node")}
          />
          <ZoneSelect
            label="Address"
            hostId={hostId}
            standing={[{ value: "dhcp", label: "DHCP" }]}
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
      label="VMID"
      description={data === undefined ? undefined : `${data.nextVmid} is the lowest free one.`}
      min={100}
      {...form.getInputProps("vmid")}
    />
  );
}

function Access({ form }: { readonly form: GuestForm }) {
  return (
    <Section title="Access">
      <Stack gap="xs">
        <div className="fields">
          <UserSelect label="Owner" placeholder="Nobody" {...form.getInputProps("ownerId")} />
          <PasswordInput label="Initial password" autoComplete="new-password" {...form.getInputProps("password")} />
        </div>
        <Textarea
          label="SSH public keys, one a line"
          description="Keys that the owner has stored are installed too."
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
    <Section title={`${name} (${vmid})`}>
      <Stack gap="sm">
        <Text fz="sm">
          It goes to {nameOf(placement.hostId)} / {placement.node}, storage {placement.storage}. {placement.explanation}
        </Text>
        <JobProgress id={jobId} onEnd={({ status }) => setDone(status === "DONE")} />
        {done && <Alert color="teal">{name} is up.</Alert>}
        <Group gap="xs">
          <ButtonLink
            to="/guests"
            search={{ hostId: placement.hostId, search: String(vmid) }}
            variant={done ? "filled" : "default"}
          >
            Show the guest
          </ButtonLink>
          <Button variant="default" onClick={another}>
            Create another
          </Button>
          <Button variant="default" onClick={() => void navigate({ to: "/guests" })}>
            All guests
          </Button>
        </Group>
      </Stack>
    </Section>
  );
}
