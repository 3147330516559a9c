// Whether moves to a host may go by a token that cannot be limited: what that means, and the menu item that changes it.
import { Menu, Text } from "@mantine/core";
import { useAct } from "../../client/act.js";
import type { HopeFor } from "../../client/hopes.js";
import { confirm } from "../../components/tell.js";
import { AllowUnrestrictedTokensDocument, type HostQuery } from "../../generated/documents.js";
import { texts } from "../../texts/hosts.js";

interface Properties {
  readonly host: Pick<HostQuery["host"], "id" | "name" | "allowUnrestrictedMoveToken">;
  readonly hopeFor: HopeFor<Pick<HostQuery["host"], "allowUnrestrictedMoveToken">>;
}

/** Forbids at once, allows after a word. */
export function UnrestrictedTokensItem({ host, hopeFor }: Properties) {
  const isAllowed = host.allowUnrestrictedMoveToken;
  const [set] = useAct(AllowUnrestrictedTokensDocument, { failed: texts.page.changeFailed(host.name) });
  async function change(): Promise<void> {
    const agreed =
      isAllowed ||
      (await confirm({
        title: texts.migrationTokens.question(host.name),
        verb: texts.migrationTokens.verb,
        danger: true,
        children: <Text fz="sm">{texts.migrationTokens.explanation}</Text>,
      }));
    if (!agreed) return;
    await hopeFor(host.id, { allowUnrestrictedMoveToken: !isAllowed }, () => set({ id: host.id, allowed: !isAllowed }));
  }
  return (
    <Menu.Item onClick={() => void change()}>
      {isAllowed ? texts.migrationTokens.forbid : texts.migrationTokens.allow}
    </Menu.Item>
  );
}
