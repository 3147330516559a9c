// All people: operators, resellers and customers.
import { Badge, Button, Group, Select, TextInput } from "@mantine/core";
import { isEmail, isNotEmpty, useForm } from "@mantine/form";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { useAct } from "../../client/act.js";
import { useLive } from "../../client/live.js";
import { useViewer } from "../../client/viewer.js";
import { Age } from "../../components/Age.js";
import { Answer } from "../../components/Answer.js";
import { Filters, isNarrowed } from "../../components/Filters.js";
import { FormDialog } from "../../components/FormDialog.js";
import { markWrong } from "../../components/focusWrong.js";
import { TextLink } from "../../components/links.js";
import { OnceShown } from "../../components/OnceShown.js";
import { Page } from "../../components/Page.js";
import { Table, type Column } from "../../components/Table.js";
import { TypedText } from "../../components/TypedText.js";

import { CreateUserDocument, UsersDocument, type UsersQuery } from "../../generated/documents.js";
import { DEFAULT_PER_PAGE } from "../../search.js";
import { grantableBy, roleChoices, ROLES } from "./roles.js";
import { texts } from "../../texts/users.js";
import { roleText } from "../../texts/terms.js";

const ROLE_CHOICES = roleChoices(ROLES);

export function Users() {
  const { page = 1, perPage = DEFAULT_PER_PAGE, search, role } = useSearch({ from: "/shell/users" });
  const navigate = useNavigate({ from: "/users" });
  const [adding, setAdding] = useState(false);
  const variables = { page, perPage, role: role ?? null, search: search ?? null };
  const live = useLive({ query: UsersDocument, variables, kinds: ["USER", "GUEST"] });
  return (
    <Page
      title={texts.title}
      readAt={live.readAt}
      actions={
        <Button leftSection={<Plus size={14} aria-hidden />} onClick={() => setAdding(true)}>
          {texts.new}
        </Button>
      }
    >
      <Filters>
        <TypedText
          label={texts.search}
          width={250}
          value={search ?? ""}
          pageSearch
          onSettled={(text) =>
            void navigate({
              search: (before) => ({ ...before, search: text || undefined, page: undefined }),
              replace: true,
            })
          }
        />
        <Select
          aria-label={texts.role}
          placeholder={texts.anyRole}
          clearable
          w={140}
          data={ROLE_CHOICES}
          value={role ?? null}
          onChange={(value) =>
            void navigate({
              search: (before) => ({ ...before, role: ROLES.find((each) => each === value), page: undefined }),
            })
          }
        />
      </Filters>
      <Answer live={live} lines={8}>
        {({ users }) => (
          <Table
            rows={users.items}
            columns={COLUMNS}
            empty={isNarrowed({ role, search }) ? texts.noMatch : texts.empty}
            onOpen={({ id }) => void navigate({ to: "/users/$id", params: { id: String(id) } })}
            paging={{
              page,
              perPage,
              total: users.meta.total,
              onPage: (next) => void navigate({ search: (before) => ({ ...before, page: next }) }),
              onPerPage: (next) =>
                void navigate({ search: (before) => ({ ...before, perPage: next, page: undefined }) }),
            }}
          />
        )}
      </Answer>
      <AddUser opened={adding} close={() => setAdding(false)} added={() => live.refresh()} />
    </Page>
  );
}

const COLUMNS: Column<UsersQuery["users"]["items"][number]>[] = [
  {
    accessor: "username",
    title: texts.columns.user,
    render: ({ id, username, enabled }) => (
      <Group gap={6}>
        <TextLink to="/users/$id" params={{ id: String(id) }} fw={500}>
          {username}
        </TextLink>
        {!enabled && <Badge color="gray">{texts.disabledMark}</Badge>}
      </Group>
    ),
  },
  { accessor: "email", title: texts.columns.email },
  { accessor: "role", title: texts.role, render: ({ role }) => roleText(role) },
  { accessor: "userId", title: texts.columns.externalId, render: ({ userId }) => userId ?? "–" },
  { accessor: "guestCount", title: texts.columns.guests, textAlign: "right", cellsClassName: "number" },
  { accessor: "createdAt", title: texts.columns.created, render: ({ createdAt }) => <Age at={createdAt} /> },
];

interface AddUserProperties {
  readonly opened: boolean;
  readonly close: () => void;
  readonly added: () => void;
}

function AddUser({ opened, close, added }: AddUserProperties) {
  const viewer = useViewer();
  const [made, setMade] = useState<{ readonly username: string; readonly password: string } | null>(null);
  const form = useForm({
    initialValues: { username: "", email: "", role: "CUSTOMER", userId: "" },
    validate: { username: isNotEmpty(texts.usernameMissing), email: isEmail(texts.emailMissing) },
  });
  const [create, busy] = useAct(CreateUserDocument, { failed: texts.createFailed, refused: markWrong(form) });
  async function make({ username, email, role, userId }: typeof form.values): Promise<void> {
    const known = ROLES.find((each) => each === role) ?? "CUSTOMER";
    const done = await create({ username, email, role: known, userId: userId === "" ? null : userId });
    if (done === null) return;
    setMade({ username: done.createUser.user.username, password: done.createUser.password });
    form.reset();
    close();
    added();
  }
  return (
    <>
      <FormDialog
        form={form}
        opened={opened}
        close={close}
        title={texts.new}
        verb={texts.create}
        busy={busy}
        onSubmit={(values) => void make(values)}
      >
        <TextInput label={texts.username} data-autofocus {...form.getInputProps("username")} />
        <TextInput label={texts.columns.email} type="email" {...form.getInputProps("email")} />
        <Select
          label={texts.role}
          data={viewer ? roleChoices(grantableBy(viewer)) : []}
          allowDeselect={false}
          {...form.getInputProps("role")}
        />
        <TextInput label={texts.columns.externalId} {...form.getInputProps("userId")} />
      </FormDialog>
      <OnceShown
        title={texts.passwordTitle(made?.username ?? "")}
        value={made?.password ?? null}
        note={texts.passwordNote}
        close={() => setMade(null)}
      />
    </>
  );
}
