// Whether moves to a host may go by a token that cannot be limited: what that means, and the menu item that changes it.
import { Menu, Text } from "@mantine/core";
import { useAct } from "../../client/act.js";
import type { HopeFor } from "../../client/hopes.js";
import { confirm } from "../../components/tell.js";
import { AllowUnrestrictedTokensDocument, type HostQuery } from "../../generated/documents.js";

/** What the switch means, for forms. */
export const UNRESTRICTED_TOKENS =
  "The source of a move then holds a token with all rights of this host's login user while the guest moves, where the login cannot limit it. Without this, such a move is refused.";

interface Properties {
  readonly host: Pick<HostQuery["host"], "id" | "name" | "allowUnrestrictedMoveToken">;
  readonly hopeFor: HopeFor<Pick<HostQuery["host"], "allowUnrestrictedMoveToken">>;
}

/** Forbids at once, allows after a word. */
export function UnrestrictedTokensItem({ host, hopeFor }: Properties) {
  const isAllowed = host.allowUnrestrictedMoveToken;
  const [set] = useAct(AllowUnrestrictedTokensDocument, { failed: `${host.name} was not changed` });
  async function change(): Promise<void> {
    const agreed =
      isAllowed ||
      (await confirm({
        title: `Allow unrestricted move tokens on ${host.name}?`,
        verb: "Allow",
        danger: true,
        children: <Text fz="sm">{UNRESTRICTED_TOKENS}</Text>,
      }));
    if (!agreed) return;
    await hopeFor(host.id, { allowUnrestrictedMoveToken: !isAllowed }, () => set({ id: host.id, allowed: !isAllowed }));
  }
  return (
    <Menu.Item onClick={() => void change()}>
      {isAllowed ? "Forbid unrestricted move tokens" : "Allow unrestricted move tokens…"}
    </Menu.Item>
  );
}
