// One person: what they may do, their guests and their SSH keys.
import { ActionIcon, Button, Grid, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { isNotEmpty, useForm } from "@mantine/form";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Trash2 } from "lucide-react";
import { useState } from "react";
import { useAct } from "../../client/act.js";
import { useLive } from "../../client/live.js";
import { Age } from "../../components/Age.js";
import { Answer } from "../../components/Answer.js";
import { Facts } from "../../components/Facts.js";
import { FormDialog } from "../../components/FormDialog.js";
import { markWrong } from "../../components/focusWrong.js";
import { guestAddress, guestColumns } from "../../components/guestColumns.js";
import { TextLink } from "../../components/links.js";
import { Page } from "../../components/Page.js";
import { Section } from "../../components/Section.js";
import { Table } from "../../components/Table.js";
import { confirm } from "../../components/tell.js";
import { count, words } from "../../format.js";
import {
  AddSshKeyDocument,
  DeleteUserDocument,
  RemoveSshKeyDocument,
  UserDocument,
  type UserQuery,
} from "../../generated/documents.js";

const PER_PAGE = 25;

type ShownUser = UserQuery["user"];

export function UserPage() {
  const { id } = useParams({ from: "/shell/users/$id" });
  const { page = 1 } = useSearch({ from: "/shell/users/$id" });
  const navigate = useNavigate({ from: "/users/$id" });
  const live = useLive({ query: UserDocument, variables: { id: Number(id), page }, kinds: ["USER", "GUEST"] });
  const user = live.data?.user;
  return (
    <Page
      title={user?.username ?? `User ${id}`}
      above={[<TextLink to="/users">Users</TextLink>]}
      readAt={live.readAt}
      actions={user && <Delete user={user} />}
    >
      <Answer live={live} lines={10}>
        {(data) => (
          <Stack gap="sm">
            <Grid gap="sm">
              <Grid.Col span={{ base: 12, md: 5 }}>
                <Section title="User">
                  <Facts facts={factsOf(data.user)} />
                </Section>
              </Grid.Col>
              <Grid.Col span={{ base: 12, md: 7 }}>
                <SshKeys user={data.user} refresh={() => live.refresh()} />
              </Grid.Col>
            </Grid>
            <Section title="Guests">
              <Table
                rows={data.guests.items}
                columns={guestColumns({ sortable: false, hostShown: true })}
                empty={`${data.user.username} owns no guest.`}
                onOpen={(guest) => void navigate(guestAddress(guest))}
                paging={{
                  page,
                  perPage: PER_PAGE,
                  total: data.guests.meta.total,
                  onPage: (next) => void navigate({ search: { page: next } }),
                }}
              />
            </Section>
          </Stack>
        )}
      </Answer>
    </Page>
  );
}

const factsOf = (user: ShownUser) =>
  [
    ["E-mail", user.email],
    ["Role", words(user.role)],
    ["Own id", user.userId ?? "–"],
    ["May", user.permissions.length === 0 ? "use their own guests" : user.permissions.join(", ")],
    ["Guests", user.guestCount],
    ["Since", <Age key="since" at={user.createdAt} />],
  ] as const;

function Delete({ user }: { readonly user: ShownUser }) {
  const navigate = useNavigate();
  const [remove, busy] = useAct(DeleteUserDocument, {
    done: () => `${user.username} is deleted.`,
    failed: `${user.username} was not deleted`,
  });
  async function ask(): Promise<void> {
    const agreed = await confirm({
      title: `Delete ${user.username}?`,
      verb: `Delete ${user.username}`,
      danger: true,
      children: (
        <Text fz="sm">
          {user.username} can no longer sign in. {count(user.guestCount, "guest")} stay, without an owner.
        </Text>
      ),
    });
    if (agreed && (await remove({ id: user.id })) !== null) await navigate({ to: "/users" });
  }
  return (
    <Button variant="default" className="danger" loading={busy} onClick={() => void ask()}>
      Delete…
    </Button>
  );
}

function SshKeys({ user, refresh }: { readonly user: ShownUser; readonly refresh: () => void }) {
  const [adding, setAdding] = useState(false);
  const [remove] = useAct(RemoveSshKeyDocument, {
    done: () => "The key is removed.",
    failed: "The key was not removed",
  });
  async function removeKey({ id, name }: ShownUser["sshKeys"][number]): Promise<void> {
    const agreed = await confirm({
      title: `Remove the key ${name}?`,
      verb: "Remove",
      danger: true,
      children: <Text fz="sm">Guests that have it keep it; new ones do not get it.</Text>,
    });
    if (agreed && (await remove({ id })) !== null) refresh();
  }
  return (
    <Section
      title="SSH keys"
      actions={
        <Button variant="default" size="compact-xs" onClick={() => setAdding(true)}>
          Add a key
        </Button>
      }
    >
      <Table
        rows={user.sshKeys}
        empty="No key is stored."
        columns={[
          { accessor: "name", title: "Name" },
          { accessor: "fingerprint", title: "Fingerprint", cellsClassName: "mono" },
          {
            accessor: "actions",
            title: <span className="unseen">Actions</span>,
            width: 44,
            render: (key) => (
              <ActionIcon size="sm" aria-label={`Remove the key ${key.name}`} onClick={() => void removeKey(key)}>
                <Trash2 size={14} aria-hidden />
              </ActionIcon>
            ),
          },
        ]}
      />
      <AddKey user={user} opened={adding} close={() => setAdding(false)} added={refresh} />
    </Section>
  );
}

interface AddKeyProperties {
  readonly user: ShownUser;
  readonly opened: boolean;
  readonly close: () => void;
  readonly added: () => void;
}

function AddKey({ user, opened, close, added }: AddKeyProperties) {
  const form = useForm({
    initialValues: { name: "", publicKey: "" },
    validate: { publicKey: isNotEmpty("A key in OpenSSH's format") },
  });
  const [add, busy] = useAct(AddSshKeyDocument, {
    done: ({ addSshKey }) => `${addSshKey.name} is stored.`,
    failed: "The key was not stored",
    refused: markWrong(form),
  });
  async function store(values: typeof form.values): Promise<void> {
    if ((await add({ userId: user.id, ...values })) === null) return;
    form.reset();
    close();
    added();
  }
  return (
    <FormDialog
      form={form}
      opened={opened}
      close={close}
      title={`Add an SSH key of ${user.username}`}
      verb="Add"
      busy={busy}
      onSubmit={(values) => void store(values)}
    >
      <Textarea
        label="Public key"
        placeholder="ssh-ed25519 AAAA… name"
        autosize
        minRows={3}
        data-autofocus
        {...form.getInputProps("publicKey")}
      />
      <TextInput label="Name" description="Left out: the key's own comment." {...form.getInputProps("name")} />
    </FormDialog>
  );
}
