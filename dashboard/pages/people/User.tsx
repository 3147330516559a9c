// One person: what they may do, their guests, their SSH keys and their sessions.
import { ActionIcon, Badge, Button, Grid, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { isNotEmpty, useForm } from "@mantine/form";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Trash2 } from "lucide-react";
import { useState } from "react";
import { useAct } from "../../client/act.js";
import { useLive } from "../../client/live.js";
import { useViewer } from "../../client/viewer.js";
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

import { AddSshKeyDocument, RemoveSshKeyDocument, UserDocument, type UserQuery } from "../../generated/documents.js";
import { rightsOver } from "./roles.js";
import { Sessions, useSessions } from "./Sessions.js";
import { SignIns } from "./SignIns.js";
import { UserActions } from "./UserActions.js";
import { texts } from "../../texts/users.js";
import { permissionText, roleText } from "../../texts/terms.js";

const PER_PAGE = 25;

type ShownUser = UserQuery["user"];

export function UserPage() {
  const { id } = useParams({ from: "/shell/users/$id" });
  const { page = 1 } = useSearch({ from: "/shell/users/$id" });
  const navigate = useNavigate({ from: "/users/$id" });
  const live = useLive({ query: UserDocument, variables: { id: Number(id), page }, kinds: ["USER", "GUEST"] });
  const user = live.data?.user;
  const viewer = useViewer();
  const { isOwn, maySeeSessions } = rightsOver(viewer, user);
  const sessions = useSessions(Number(id), !maySeeSessions);
  return (
    <Page
      title={user?.username ?? texts.userNumber(id)}
      mark={user?.enabled === false && <Badge color="gray">{texts.disabledMark}</Badge>}
      above={[<TextLink to="/users">{texts.title}</TextLink>]}
      readAt={live.readAt}
      actions={user && viewer && <UserActions user={user} viewer={viewer} sessionsEnded={() => sessions.refresh()} />}
    >
      <Answer live={live} lines={10}>
        {(data) => (
          <Stack gap="sm">
            <Grid gap="sm">
              <Grid.Col span={{ base: 12, md: 5 }}>
                <Section title={texts.columns.user}>
                  <Facts facts={factsOf(data.user)} />
                </Section>
              </Grid.Col>
              <Grid.Col span={{ base: 12, md: 7 }}>
                <SshKeys user={data.user} refresh={() => live.refresh()} />
              </Grid.Col>
            </Grid>
            <Section title={texts.columns.guests}>
              <Table
                rows={data.guests.items}
                columns={guestColumns({ sortable: false, hostShown: true })}
                empty={texts.noGuests}
                onOpen={(guest) => void navigate(guestAddress(guest))}
                paging={{
                  page,
                  perPage: PER_PAGE,
                  total: data.guests.meta.total,
                  onPage: (next) => void navigate({ search: { page: next } }),
                }}
              />
            </Section>
            {maySeeSessions && <Sessions owner={isOwn ? null : data.user} live={sessions} />}
            {maySeeSessions && <SignIns userId={data.user.id} />}
          </Stack>
        )}
      </Answer>
    </Page>
  );
}

const factsOf = (user: ShownUser) =>
  [
    [texts.columns.email, user.email],
    [texts.role, roleText(user.role)],
    [texts.columns.externalId, user.userId ?? "–"],
    [
      texts.columns.permissions,
      user.permissions.length === 0 ? texts.ownGuestsOnly : user.permissions.map(permissionText).join(", "),
    ],
    [texts.secondFactor, user.secondFactors.includes("TOTP") ? texts.secondFactorSetUp : texts.secondFactorNotSetUp],
    [texts.columns.guests, user.guestCount],
    [texts.columns.created, <Age key="since" at={user.createdAt} />],
  ] as const;

function SshKeys({ user, refresh }: { readonly user: ShownUser; readonly refresh: () => void }) {
  const [adding, setAdding] = useState(false);
  const [remove] = useAct(RemoveSshKeyDocument, {
    done: () => texts.keys.removed,
    failed: texts.keys.removeFailed,
  });
  async function removeKey({ id, name }: ShownUser["sshKeys"][number]): Promise<void> {
    const agreed = await confirm({
      title: texts.keys.removeQuestion(name),
      verb: texts.keys.removeVerb,
      danger: true,
      children: <Text fz="sm">{texts.keys.removeWarning}</Text>,
    });
    if (agreed && (await remove({ id })) !== null) refresh();
  }
  return (
    <Section
      title={texts.keys.title}
      actions={
        <Button variant="default" size="compact-xs" onClick={() => setAdding(true)}>
          {texts.keys.add}
        </Button>
      }
    >
      <Table
        rows={user.sshKeys}
        empty={texts.keys.empty}
        columns={[
          { accessor: "name", title: texts.keys.name },
          { accessor: "fingerprint", title: texts.keys.fingerprint, cellsClassName: "mono" },
          {
            accessor: "actions",
            title: <span className="unseen">{texts.keys.actions}</span>,
            width: 44,
            render: (key) => (
              <ActionIcon size="sm" aria-label={texts.keys.removeLabel(key.name)} onClick={() => void removeKey(key)}>
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
    validate: { publicKey: isNotEmpty(texts.keys.publicKeyMissing) },
  });
  const [add, busy] = useAct(AddSshKeyDocument, {
    done: ({ addSshKey }) => texts.keys.added(addSshKey.name),
    failed: texts.keys.addFailed,
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
      title={texts.keys.addTitle(user.username)}
      verb={texts.keys.addVerb}
      busy={busy}
      onSubmit={(values) => void store(values)}
    >
      <Textarea
        label={texts.keys.publicKey}
        placeholder={texts.keys.publicKeyExample}
        autosize
        minRows={3}
        data-autofocus
        {...form.getInputProps("publicKey")}
      />
      <TextInput label={texts.keys.name} description={texts.keys.nameHint} {...form.getInputProps("name")} />
    </FormDialog>
  );
}
