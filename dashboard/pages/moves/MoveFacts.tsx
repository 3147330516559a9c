// Between which places a guest moves, what became of the original, and what the move is part of.
import { Age } from "../../components/Age.js";
import { Facts } from "../../components/Facts.js";
import { guestAddress } from "../../components/guestColumns.js";
import { useHostNames } from "../../components/hostNames.js";
import { TextLink } from "../../components/links.js";
import { Section } from "../../components/Section.js";

import type { MigrationWholeFragment } from "../../generated/documents.js";
import { texts } from "../../texts/migrations.js";
import { migrationModeText, safetyCopyText } from "../../texts/terms.js";
import type { ReactNode } from "react";

export function MoveFacts({ migration }: { readonly migration: MigrationWholeFragment }) {
  const { nameOf } = useHostNames();
  const { guestType: type, transferDone, sourceHostId, targetHostId, vmid, targetVmid } = migration;
  const there = transferDone ? { hostId: targetHostId, type, vmid: targetVmid } : { hostId: sourceHostId, type, vmid };
  return (
    <Section title={texts.page.migration}>
      <Facts
        facts={[
          [
            texts.columns.guest,
            <TextLink key="guest" {...guestAddress(there)}>
              {migration.guestName}
            </TextLink>,
          ],
          [texts.columns.source, texts.place(nameOf(sourceHostId), migration.sourceNode, vmid)],
          [texts.columns.target, texts.place(nameOf(targetHostId), migration.targetNode, targetVmid)],
          [texts.columns.mode, migrationModeText(migration.mode)],
          [texts.columns.started, <Age key="started" at={migration.startedAt} never={texts.page.waiting} />],
          [
            texts.columns.finished,
            migration.finishedAt === null ? null : <Age key="ended" at={migration.finishedAt} />,
          ],
          [texts.page.safetyCopy, <SafetyCopyFact key="copy" migration={migration} />],
          [texts.page.partOf, partOf(migration)],
        ]}
      />
    </Section>
  );
}

function SafetyCopyFact({ migration }: { readonly migration: MigrationWholeFragment }) {
  const { safetyCopy, safetyCopyDeleteAt } = migration;
  if (safetyCopy !== "KEPT") return <>{safetyCopyText(safetyCopy)}</>;
  return (
    <>
      <TextLink to="/safety-copies">{texts.page.kept}</TextLink>
      {safetyCopyDeleteAt !== null && (
        <>
          {", "}
          {texts.page.autoDelete} <Age at={safetyCopyDeleteAt} />
        </>
      )}
    </>
  );
}

/** Null: it was started alone. */
function partOf({ evacuationId, balanceRunId }: MigrationWholeFragment): ReactNode {
  if (evacuationId !== null) {
    return (
      <TextLink key="run" to="/evacuations/$id" params={{ id: String(evacuationId) }}>
        {texts.page.evacuation(evacuationId)}
      </TextLink>
    );
  }
  if (balanceRunId === null) return null;
  return (
    <TextLink key="run" to="/balance/$id" params={{ id: String(balanceRunId) }}>
      {texts.page.balanceRun(balanceRunId)}
    </TextLink>
  );
}
