// Between which places a guest moves, what became of the original, and what the move is part of.
import { Age } from "../../components/Age.js";
import { Facts } from "../../components/Facts.js";
import { guestAddress } from "../../components/guestColumns.js";
import { useHostNames } from "../../components/hostNames.js";
import { TextLink } from "../../components/links.js";
import { Section } from "../../components/Section.js";
import { words } from "../../format.js";
import type { MigrationWholeFragment } from "../../generated/documents.js";

export function MoveFacts({ migration }: { readonly migration: MigrationWholeFragment }) {
  const { nameOf } = useHostNames();
  const { guestType: type, transferDone, sourceHostId, targetHostId, vmid, targetVmid } = migration;
  const there = transferDone ? { hostId: targetHostId, type, vmid: targetVmid } : { hostId: sourceHostId, type, vmid };
  return (
    <Section title="Move">
      <Facts
        facts={[
          [
            "Guest",
            <TextLink key="guest" {...guestAddress(there)}>
              {migration.guestName}
            </TextLink>,
          ],
          ["From", `${nameOf(sourceHostId)} / ${migration.sourceNode}, VMID ${vmid}`],
          ["To", `${nameOf(targetHostId)} / ${migration.targetNode}, VMID ${targetVmid}`],
          ["How", words(migration.mode)],
          ["Started", <Age key="started" at={migration.startedAt} never="waiting for its turn" />],
          ["Ended", migration.finishedAt === null ? null : <Age key="ended" at={migration.finishedAt} />],
          ["Safety copy", <SafetyCopyFact key="copy" migration={migration} />],
          ["Part of", <PartOf key="run" migration={migration} />],
        ]}
      />
    </Section>
  );
}

function SafetyCopyFact({ migration }: { readonly migration: MigrationWholeFragment }) {
  const { safetyCopy, safetyCopyDeleteAt } = migration;
  if (safetyCopy !== "KEPT") return <>{words(safetyCopy)}</>;
  return (
    <>
      <TextLink to="/safety-copies">kept</TextLink>
      {safetyCopyDeleteAt !== null && (
        <>
          , deleted <Age at={safetyCopyDeleteAt} />
        </>
      )}
    </>
  );
}

function PartOf({ migration: { evacuationId, balanceRunId } }: { readonly migration: MigrationWholeFragment }) {
  if (evacuationId !== null) {
    return (
      <TextLink to="/evacuations/$id" params={{ id: String(evacuationId) }}>
        evacuation {evacuationId}
      </TextLink>
    );
  }
  if (balanceRunId === null) return <>nothing else</>;
  return (
    <TextLink to="/balance/$id" params={{ id: String(balanceRunId) }}>
      balance run {balanceRunId}
    </TextLink>
  );
}
