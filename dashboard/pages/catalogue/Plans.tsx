// The sizes in which guests are offered.
import { Button, Checkbox, NumberInput, Switch, TextInput } from "@mantine/core";
import { isNotEmpty, useForm } from "@mantine/form";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { useAct } from "../../client/act.js";
import { useHopes } from "../../client/hopes.js";
import { useLive } from "../../client/live.js";
import { Answer } from "../../components/Answer.js";
import { FormDialog } from "../../components/FormDialog.js";
import { markWrong } from "../../components/focusWrong.js";
import { Page } from "../../components/Page.js";
import { Table, type Column } from "../../components/Table.js";
import { mebibytes } from "../../format.js";
import {
  CreatePlanDocument,
  PlansDocument,
  UpdatePlanDocument,
  type PlanInput,
  type PlansQuery,
} from "../../generated/documents.js";
import { DEFAULT_PER_PAGE } from "../../search.js";
import { texts } from "../../texts/plans.js";

type ShownPlan = PlansQuery["plans"]["items"][number];

export function Plans() {
  const { page = 1, perPage = DEFAULT_PER_PAGE } = useSearch({ from: "/shell/plans" });
  const navigate = useNavigate({ from: "/plans" });
  const [editing, setEditing] = useState<ShownPlan | "new" | null>(null);
  const live = useLive({ query: PlansDocument, variables: { page, perPage }, kinds: ["PLAN"] });
  const [shown, hopeFor] = useHopes(live.data?.plans.items ?? []);
  const [update] = useAct(UpdatePlanDocument, { failed: texts.saveFailed });
  const offer = (plan: ShownPlan, active: boolean): void =>
    void hopeFor(plan.id, { active }, () => update({ id: plan.id, input: { ...inputOf(plan), active } }));
  return (
    <Page
      title={texts.title}
      readAt={live.readAt}
      actions={
        <Button leftSection={<Plus size={14} aria-hidden />} onClick={() => setEditing("new")}>
          {texts.new}
        </Button>
      }
    >
      <Answer live={live} lines={6}>
        {({ plans }) => (
          <Table
            rows={shown}
            columns={columns(setEditing, offer)}
            empty={texts.empty}
            paging={{
              page,
              perPage,
              total: plans.meta.total,
              onPage: (next) => void navigate({ search: (before) => ({ ...before, page: next }) }),
              onPerPage: (next) => void navigate({ search: { perPage: next } }),
            }}
          />
        )}
      </Answer>
      {editing !== null && (
        <PlanDialog
          plan={editing === "new" ? null : editing}
          close={() => setEditing(null)}
          done={() => {
            setEditing(null);
            live.refresh();
          }}
        />
      )}
    </Page>
  );
}

/** The whole plan: it is replaced, not patched. */
const inputOf = ({ name, cores, memoryMb, diskGb, trafficGb, runtimeDays }: ShownPlan): PlanInput => ({
  name,
  cores,
  memoryMb,
  diskGb,
  trafficGb,
  runtimeDays,
});

const columns = (
  edit: (plan: ShownPlan) => void,
  offer: (plan: ShownPlan, active: boolean) => void,
): Column<ShownPlan>[] => [
  {
    accessor: "name",
    title: texts.columns.plan,
  },
  {
    accessor: "active",
    title: texts.columns.active,
    width: 130,
    render: (plan) => (
      <Switch
        size="xs"
        aria-label={texts.activate(plan.name)}
        label={plan.active ? texts.active : texts.inactive}
        checked={plan.active}
        onChange={({ currentTarget }) => offer(plan, currentTarget.checked)}
      />
    ),
  },
  { accessor: "cores", title: texts.columns.cores, textAlign: "right" },
  { accessor: "memoryMb", title: texts.columns.ram, textAlign: "right", render: ({ memoryMb }) => mebibytes(memoryMb) },
  {
    accessor: "diskGb",
    title: texts.columns.disk,
    textAlign: "right",
    render: ({ diskGb }) => texts.gibibytes(diskGb),
  },
  {
    accessor: "trafficGb",
    title: texts.columns.traffic,
    textAlign: "right",
    render: ({ trafficGb }) => (trafficGb === null ? texts.unlimited : texts.gibibytes(trafficGb)),
  },
  {
    accessor: "runtimeDays",
    title: texts.columns.term,
    textAlign: "right",
    render: ({ runtimeDays }) => (runtimeDays === null ? texts.unlimited : texts.days(runtimeDays)),
  },
  {
    accessor: "actions",
    title: <span className="unseen">{texts.columns.actions}</span>,
    width: 90,
    render: (plan) => (
      <Button variant="default" size="compact-xs" aria-label={texts.editName(plan.name)} onClick={() => edit(plan)}>
        {texts.edit}
      </Button>
    ),
  },
];

const needed = (value: number | string): string | null => (Number(value) > 0 ? null : texts.form.number);
const orNull = (value: number | string): number | null => (value === "" ? null : Number(value));

interface PlanProperties {
  /** Null: a new one. */
  readonly plan: ShownPlan | null;
  readonly close: () => void;
  readonly done: () => void;
}

function PlanDialog({ plan, close, done }: PlanProperties) {
  const form = useForm({
    initialValues: {
      name: plan?.name ?? "",
      cores: (plan?.cores ?? 2) as number | string,
      memoryMb: (plan?.memoryMb ?? 2048) as number | string,
      diskGb: (plan?.diskGb ?? 25) as number | string,
      trafficGb: (plan?.trafficGb ?? "") as number | string,
      runtimeDays: (plan?.runtimeDays ?? "") as number | string,
      active: plan?.active ?? true,
    },
    validate: { name: isNotEmpty(texts.form.nameMissing), cores: needed, memoryMb: needed, diskGb: needed },
  });
  const [create, creating] = useAct(CreatePlanDocument, {
    done: ({ createPlan }) => texts.created(createPlan.name),
    failed: texts.createFailed,
    refused: markWrong(form),
  });
  const [update, updating] = useAct(UpdatePlanDocument, {
    done: ({ updatePlan }) => texts.saved(updatePlan.name),
    failed: texts.saveFailed,
    refused: markWrong(form),
  });
  async function keep({
    name,
    cores,
    memoryMb,
    diskGb,
    trafficGb,
    runtimeDays,
    active,
  }: typeof form.values): Promise<void> {
    const input = {
      name,
      active,
      cores: Number(cores),
      memoryMb: Number(memoryMb),
      diskGb: Number(diskGb),
      trafficGb: orNull(trafficGb),
      runtimeDays: orNull(runtimeDays),
    };
    const kept = plan === null ? await create({ input }) : await update({ id: plan.id, input });
    if (kept !== null) done();
  }
  return (
    <FormDialog
      form={form}
      opened
      close={close}
      title={plan === null ? texts.new : texts.editName(plan.name)}
      verb={plan === null ? texts.create : texts.save}
      busy={creating || updating}
      onSubmit={(values) => void keep(values)}
    >
      <TextInput label={texts.form.name} data-autofocus {...form.getInputProps("name")} />
      <div className="fields fields-of-figures">
        <NumberInput label={texts.form.cores} min={1} {...form.getInputProps("cores")} />
        <NumberInput label={texts.form.ram} min={16} step={512} {...form.getInputProps("memoryMb")} />
        <NumberInput label={texts.form.disk} min={1} {...form.getInputProps("diskGb")} />
      </div>
      <div className="fields">
        <NumberInput
          label={texts.form.traffic}
          placeholder={texts.form.unlimited}
          min={1}
          {...form.getInputProps("trafficGb")}
        />
        <NumberInput
          label={texts.form.term}
          placeholder={texts.form.unlimited}
          min={1}
          {...form.getInputProps("runtimeDays")}
        />
      </div>
      <Checkbox label={texts.form.active} {...form.getInputProps("active", { type: "checkbox" })} />
    </FormDialog>
  );
}
