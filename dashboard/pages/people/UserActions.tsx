// What can be done with an account: changed, disabled and enabled, given a new password, freed of a lost second factor, deleted.
import { Button, Text } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useAct } from "../../client/act.js";
import type { Viewer } from "../../client/viewer.js";
import { OnceShown } from "../../components/OnceShown.js";
import { confirm } from "../../components/tell.js";
import {
  DeleteUserDocument,
  ResetPasswordDocument,
  ResetSecondFactorDocument,
  UpdateUserDocument,
  type UserQuery,
} from "../../generated/documents.js";
import { EditUser } from "./EditUser.js";
import { grantableBy, rightsOver } from "./roles.js";
import { texts } from "../../texts/users.js";

type ShownUser = UserQuery["user"];

interface Properties {
  readonly user: ShownUser;
  readonly viewer: Viewer;
  /** Called when the user's sessions have ended. */
  readonly sessionsEnded: () => void;
}

export function UserActions({ user, viewer, sessionsEnded }: Properties) {
  const { mayEdit, mayManage } = rightsOver(viewer, user);
  return (
    <>
      {mayEdit && <Edit user={user} roles={mayManage ? grantableBy(viewer) : []} />}
      {mayManage && (
        <>
          {user.enabled ? <Disable user={user} /> : <Enable user={user} />}
          <ResetPassword user={user} done={sessionsEnded} />
          {user.secondFactors.length > 0 && <ResetSecondFactor user={user} />}
          <Delete user={user} />
        </>
      )}
    </>
  );
}

function Edit({ user, roles }: { readonly user: ShownUser; readonly roles: ReturnType<typeof grantableBy> }) {
  const [editing, setEditing] = useState(false);
  return (
    <>
      <Button variant="default" onClick={() => setEditing(true)}>
        {texts.edit}
      </Button>
      {editing && <EditUser user={user} roles={roles} close={() => setEditing(false)} />}
    </>
  );
}

function Disable({ user: { id, username } }: { readonly user: ShownUser }) {
  const [update, busy] = useAct(UpdateUserDocument, {
    done: () => texts.disabled(username),
    failed: texts.disableFailed(username),
  });
  async function ask(): Promise<void> {
    const agreed = await confirm({
      title: texts.disableQuestion(username),
      verb: texts.disableVerb(username),
      danger: true,
      children: <Text fz="sm">{texts.disableWarning(username)}</Text>,
    });
    if (agreed) await update({ id, input: { enabled: false } });
  }
  return (
    <Button variant="default" loading={busy} onClick={() => void ask()}>
      {texts.disable}
    </Button>
  );
}

function Enable({ user: { id, username } }: { readonly user: ShownUser }) {
  const [update, busy] = useAct(UpdateUserDocument, {
    done: () => texts.enabled(username),
    failed: texts.enableFailed(username),
  });
  return (
    <Button variant="default" loading={busy} onClick={() => void update({ id, input: { enabled: true } })}>
      {texts.enable}
    </Button>
  );
}

function ResetPassword({ user, done }: { readonly user: ShownUser; readonly done: () => void }) {
  const { id, username } = user;
  const [password, setPassword] = useState<string | null>(null);
  const [reset, busy] = useAct(ResetPasswordDocument, { failed: texts.resetFailed });
  async function ask(): Promise<void> {
    const agreed = await confirm({
      title: texts.resetQuestion(username),
      verb: texts.resetVerb,
      danger: true,
      children: <Text fz="sm">{texts.resetWarning(username)}</Text>,
    });
    const answer = agreed ? await reset({ userId: id }) : null;
    if (answer === null) return;
    setPassword(answer.resetPassword.password);
    done();
  }
  return (
    <>
      <Button variant="default" loading={busy} onClick={() => void ask()}>
        {texts.reset}
      </Button>
      <OnceShown
        title={texts.passwordTitle(username)}
        value={password}
        note={texts.passwordNote}
        close={() => setPassword(null)}
      />
    </>
  );
}

function ResetSecondFactor({ user: { id, username } }: { readonly user: ShownUser }) {
  const [reset, busy] = useAct(ResetSecondFactorDocument, {
    done: () => texts.resetFactorDone(username),
    failed: texts.resetFactorFailed,
  });
  async function ask(): Promise<void> {
    const agreed = await confirm({
      title: texts.resetFactorQuestion(username),
      verb: texts.resetFactorVerb,
      danger: true,
      children: <Text fz="sm">{texts.resetFactorWarning(username)}</Text>,
    });
    if (agreed) await reset({ userId: id });
  }
  return (
    <Button variant="default" loading={busy} onClick={() => void ask()}>
      {texts.resetFactor}
    </Button>
  );
}

function Delete({ user }: { readonly user: ShownUser }) {
  const navigate = useNavigate();
  const [remove, busy] = useAct(DeleteUserDocument, {
    done: () => texts.deleted(user.username),
    failed: texts.deleteFailed(user.username),
  });
  async function ask(): Promise<void> {
    const agreed = await confirm({
      title: texts.deleteQuestion(user.username),
      verb: texts.deleteVerb(user.username),
      danger: true,
      children: <Text fz="sm">{texts.deleteWarning(user.username, user.guestCount)}</Text>,
    });
    if (agreed && (await remove({ id: user.id })) !== null) await navigate({ to: "/users" });
  }
  return (
    <Button variant="default" className="danger" loading={busy} onClick={() => void ask()}>
      {texts.delete}
    </Button>
  );
}
