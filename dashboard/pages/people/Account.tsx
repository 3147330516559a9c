// The account of the person who is signed in: who they are, their password and second factor, where they are signed in, and who tried.
import { Button, Grid, Stack } from "@mantine/core";
import { useState } from "react";
import { useLive } from "../../client/live.js";
import type { Viewer } from "../../client/viewer.js";
import { Answer } from "../../components/Answer.js";
import { Facts } from "../../components/Facts.js";
import { Page } from "../../components/Page.js";
import { Section } from "../../components/Section.js";
import { ViewerDocument } from "../../generated/documents.js";
import { ChangePassword } from "./ChangePassword.js";
import { SecondFactor } from "./SecondFactor.js";
import { Sessions, useSessions } from "./Sessions.js";
import { SignIns } from "./SignIns.js";
import { texts } from "../../texts/account.js";
import { roleText } from "../../texts/terms.js";

export function Account() {
  const live = useLive({ query: ViewerDocument, variables: {}, kinds: ["USER"] });
  const sessions = useSessions(null);
  const [changing, setChanging] = useState(false);
  const user = live.data?.viewer.user;
  return (
    <Page
      title={texts.title}
      readAt={sessions.readAt}
      actions={user && <Button onClick={() => setChanging(true)}>{texts.password.change}</Button>}
    >
      <Grid gap="sm">
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Stack gap="sm">
            <Section title={texts.title}>
              <Answer live={live} lines={3}>
                {({ viewer }) => viewer.user && <Facts facts={factsOf(viewer.user)} />}
              </Answer>
            </Section>
            {user && <SecondFactor user={user} changed={() => live.refresh()} />}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Sessions owner={null} live={sessions} />
        </Grid.Col>
        <Grid.Col>
          <SignIns userId={null} />
        </Grid.Col>
      </Grid>
      {user && (
        <ChangePassword
          user={user}
          opened={changing}
          close={() => setChanging(false)}
          changed={() => sessions.refresh()}
        />
      )}
    </Page>
  );
}

const factsOf = (user: Viewer) =>
  [
    [texts.name, user.username],
    [texts.email, user.email],
    [texts.role, roleText(user.role)],
  ] as const;
