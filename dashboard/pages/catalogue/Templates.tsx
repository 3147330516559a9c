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

export function Templates() {
  const { hostId: asked } = useSearch({ from: "/shell/templates" });
  const navigate = useNavigate({ from: "/templates" });
  const { hostId, none } = useHostOrFirst(asked);
  return (
    <Page
      title="Templates"
      actions={
        <HostChoice value={hostId} onChoose={(next) => void navigate({ search: { hostId: next }, replace: true })} />
      }
    >
      {hostId === undefined ? none && <Nothing>No host is connected yet.</Nothing> : <OfHost hostId={hostId} />}
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
    validate: { vmid: isNotEmpty("A template of the host"), name: isNotEmpty("A name for people") },
  });
  const [register, busy] = useAct(RegisterOsTemplateDocument, {
    done: ({ registerOsTemplate }) => `${registerOsTemplate.name} is offered.`,
    failed: "The template is not offered",
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
      title="Virtual machines"
      actions={
        <Button variant="default" size="compact-xs" onClick={() => setAdding(true)}>
          Offer a template
        </Button>
      }
    >
      <Table
        rows={data.osTemplates.items}
        empty="No template is offered on this host."
        columns={[
          {
            accessor: "name",
            title: "Template",
            render: ({ name, active }) => (
              <Group gap={6}>
                {name}
                {!active && <Badge color="gray">no longer there</Badge>}
              </Group>
            ),
          },
          { accessor: "ref", title: "Reference", cellsClassName: "mono" },
          { accessor: "node", title: "Node" },
          { accessor: "vmid", title: "VMID" },
          { accessor: "minDiskGb", title: "Least disk", render: ({ minDiskGb }) => `${minDiskGb} GiB` },
        ]}
      />
      <FormDialog
        form={form}
        opened={adding}
        close={() => setAdding(false)}
        title="Offer a template for virtual machines"
        verb="Offer"
        busy={busy}
        onSubmit={(values) => void offer(values)}
      >
        <Select
          label="Template on the host"
          placeholder={candidates.length === 0 ? "All templates of the host are offered" : "Choose one"}
          data={candidates.map(({ vmid, name, node }) => ({
            value: String(vmid),
            label: `${name} (${vmid} on ${node})`,
          }))}
          {...form.getInputProps("vmid")}
        />
        <TextInput label="Name for people" placeholder="Debian 13" data-autofocus {...form.getInputProps("name")} />
      </FormDialog>
    </Section>
  );
}

function Containers({ data, refresh }: Properties) {
  const [volid, setVolid] = useState<string | null>(null);
  const form = useForm({ initialValues: { name: "" }, validate: { name: isNotEmpty("A name for people") } });
  const [register, busy] = useAct(RegisterCtTemplateDocument, {
    done: ({ registerCtTemplate }) => `${registerCtTemplate.name} is in the library.`,
    failed: "The template is not in the library",
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
    <Section title="Containers">
      <Table
        rows={rows}
        rowKey="key"
        empty="No node of this host has a container template."
        columns={[
          {
            accessor: "name",
            title: "Template",
            render: ({ name, managed }) => (
              <Group gap={6}>
                {name}
                {managed && <Badge color="teal">library</Badge>}
              </Group>
            ),
          },
          { accessor: "node", title: "Node", render: ({ node }) => node ?? "every node that has it" },
          { accessor: "volid", title: "Volume", cellsClassName: "mono" },
          { accessor: "sizeBytes", title: "Size", textAlign: "right", render: ({ sizeBytes }) => bytes(sizeBytes) },
          {
            accessor: "actions",
            title: <span className="unseen">Actions</span>,
            width: 150,
            render: (template) =>
              !template.managed &&
              !inLibrary.includes(template.volid) && (
                <Button
                  variant="default"
                  size="compact-xs"
                  aria-label={`Add to library: ${template.name}`}
                  onClick={() => setVolid(template.volid)}
                >
                  Add to library
                </Button>
              ),
          },
        ]}
      />
      <FormDialog
        form={form}
        opened={volid !== null}
        close={() => setVolid(null)}
        title="Add to the library"
        verb="Add"
        busy={busy}
        onSubmit={(values) => void add(values)}
      >
        <TextInput label="Volume" value={volid ?? ""} readOnly />
        <TextInput label="Name for people" placeholder="Debian 12" data-autofocus {...form.getInputProps("name")} />
      </FormDialog>
    </Section>
  );
}
