// What new guests are made of: virtual machine templates of a host, the library of container templates, files of nodes.
import { Badge, Button, Group, Select, Stack, TextInput } from "@mantine/core";
import { isNotEmpty, useForm } from "@mantine/form";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useAct } from "../../client/act.js";
import { useLive } from "../../client/live.js";
import { Answer, Nothing } from "../../components/Answer.js";
import { FormDialog } from "../../components/FormDialog.js";
import { markWrong } from "../../components/focusWrong.js";
import { HostChoice, useHostOrFirst } from "../../components/HostChoice.js";
import { Page } from "../../components/Page.js";
import { Section } from "../../components/Section.js";
import { Table } from "../../components/Table.js";
import { bytes } from "../../format.js";
import {
  RegisterCtTemplateDocument,
  RegisterOsTemplateDocument,
  TemplatesDocument,
  type TemplatesQuery,
} from "../../generated/documents.js";
import { texts } from "../../texts/templates.js";

export function Templates() {
  const { hostId: asked } = useSearch({ from: "/shell/templates" });
  const navigate = useNavigate({ from: "/templates" });
  const { hostId, none } = useHostOrFirst(asked);
  return (
    <Page
      title={texts.title}
      actions={
        <HostChoice value={hostId} onChoose={(next) => void navigate({ search: { hostId: next }, replace: true })} />
      }
    >
      {hostId === undefined ? none && <Nothing>{texts.noHost}</Nothing> : <OfHost hostId={hostId} />}
    </Page>
  );
}

function OfHost({ hostId }: { readonly hostId: number }) {
  const live = useLive({ query: TemplatesDocument, variables: { hostId }, kinds: ["TEMPLATE", "HOST"] });
  return (
    <Answer live={live} lines={10}>
      {(data) => (
        <Stack gap="sm">
          <VirtualMachines hostId={hostId} data={data} refresh={() => live.refresh()} />
          <Containers data={data} refresh={() => live.refresh()} />
        </Stack>
      )}
    </Answer>
  );
}

interface Properties {
  readonly data: TemplatesQuery;
  readonly refresh: () => void;
}

function VirtualMachines({ hostId, data, refresh }: Properties & { readonly hostId: number }) {
  const [adding, setAdding] = useState(false);
  const known = data.osTemplates.items.map(({ vmid }) => vmid);
  const candidates = data.candidates.items.filter(({ vmid }) => !known.includes(vmid));
  const form = useForm({
    initialValues: { vmid: null as string | null, name: "" },
    validate: { vmid: isNotEmpty(texts.templateMissing), name: isNotEmpty(texts.displayNameMissing) },
  });
  const [register, busy] = useAct(RegisterOsTemplateDocument, {
    done: ({ registerOsTemplate }) => texts.published(registerOsTemplate.name),
    failed: texts.publishFailed,
    refused: markWrong(form),
  });
  async function offer({ vmid, name }: typeof form.values): Promise<void> {
    const guest = candidates.find((each) => String(each.vmid) === vmid);
    if (guest === undefined || (await register({ hostId, node: guest.node, vmid: guest.vmid, name })) === null) return;
    form.reset();
    setAdding(false);
    refresh();
  }
  return (
    <Section
      title={texts.virtualMachines}
      actions={
        <Button variant="default" size="compact-xs" onClick={() => setAdding(true)}>
          {texts.publish}
        </Button>
      }
    >
      <Table
        rows={data.osTemplates.items}
        empty={texts.noPublished}
        columns={[
          {
            accessor: "name",
            title: texts.columns.template,
            render: ({ name, active }) => (
              <Group gap={6}>
                {name}
                {!active && <Badge color="gray">{texts.missing}</Badge>}
              </Group>
            ),
          },
          { accessor: "ref", title: texts.columns.id, cellsClassName: "mono" },
          { accessor: "node", title: texts.columns.node },
          { accessor: "vmid", title: texts.columns.vmid },
          {
            accessor: "minDiskGb",
            title: texts.columns.minimumDisk,
            render: ({ minDiskGb }) => texts.gibibytes(minDiskGb),
          },
        ]}
      />
      <FormDialog
        form={form}
        opened={adding}
        close={() => setAdding(false)}
        title={texts.publishTitle}
        verb={texts.publishVerb}
        busy={busy}
        onSubmit={(values) => void offer(values)}
      >
        <Select
          label={texts.template}
          placeholder={candidates.length === 0 ? texts.allPublished : texts.selectTemplate}
          data={candidates.map(({ vmid, name, node }) => ({
            value: String(vmid),
            label: texts.choice(name, vmid, node),
          }))}
          {...form.getInputProps("vmid")}
        />
        <TextInput
          label={texts.displayName}
          placeholder={texts.machineExample}
          data-autofocus
          {...form.getInputProps("name")}
        />
      </FormDialog>
    </Section>
  );
}

function Containers({ data, refresh }: Properties) {
  const [volid, setVolid] = useState<string | null>(null);
  const form = useForm({ initialValues: { name: "" }, validate: { name: isNotEmpty(texts.displayNameMissing) } });
  const [register, busy] = useAct(RegisterCtTemplateDocument, {
    done: ({ registerCtTemplate }) => texts.added(registerCtTemplate.name),
    failed: texts.addFailed,
    refused: markWrong(form),
  });
  const inLibrary = data.ctTemplates.items.filter(({ managed }) => managed).map((template) => template.volid);
  async function add({ name }: typeof form.values): Promise<void> {
    if (volid === null || (await register({ name, volid })) === null) return;
    form.reset();
    setVolid(null);
    refresh();
  }
  const rows = data.ctTemplates.items.map((template) => ({
    ...template,
    key: `${template.id ?? template.node}/${template.volid}`,
  }));
  return (
    <Section title={texts.containers}>
      <Table
        rows={rows}
        rowKey="key"
        empty={texts.noContainers}
        columns={[
          {
            accessor: "name",
            title: texts.columns.template,
            render: ({ name, managed }) => (
              <Group gap={6}>
                {name}
                {managed && <Badge color="teal">{texts.library}</Badge>}
              </Group>
            ),
          },
          { accessor: "node", title: texts.columns.node, render: ({ node }) => node ?? texts.allNodes },
          { accessor: "volid", title: texts.columns.volume, cellsClassName: "mono" },
          {
            accessor: "sizeBytes",
            title: texts.columns.size,
            textAlign: "right",
            render: ({ sizeBytes }) => bytes(sizeBytes),
          },
          {
            accessor: "actions",
            title: <span className="unseen">{texts.columns.actions}</span>,
            width: 150,
            render: (template) =>
              !template.managed &&
              !inLibrary.includes(template.volid) && (
                <Button
                  variant="default"
                  size="compact-xs"
                  aria-label={texts.addToLibraryLabel(template.name)}
                  onClick={() => setVolid(template.volid)}
                >
                  {texts.addToLibrary}
                </Button>
              ),
          },
        ]}
      />
      <FormDialog
        form={form}
        opened={volid !== null}
        close={() => setVolid(null)}
        title={texts.addTitle}
        verb={texts.addVerb}
        busy={busy}
        onSubmit={(values) => void add(values)}
      >
        <TextInput label={texts.columns.volume} value={volid ?? ""} readOnly />
        <TextInput
          label={texts.displayName}
          placeholder={texts.containerExample}
          data-autofocus
          {...form.getInputProps("name")}
        />
      </FormDialog>
    </Section>
  );
}
