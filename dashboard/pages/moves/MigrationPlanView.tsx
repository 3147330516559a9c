// Shows the plan of a move: figures, address and forwards, and its checks by what they mean.
import { Accordion, Alert, Badge, Button, Group, Stack, Text } from "@mantine/core";
import { CircleCheck, CircleX, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { Facts } from "../../components/Facts.js";
import { Section } from "../../components/Section.js";
import { bytes, span } from "../../format.js";
import type { MigrationPlanQuery } from "../../generated/documents.js";
import { texts as migrationTexts } from "../../texts/migrations.js";
import { migrationModeText } from "../../texts/terms.js";

const texts = migrationTexts.plan;

type ShownPlan = MigrationPlanQuery["migrationPlan"];

export function Plan({ plan }: { readonly plan: ShownPlan }) {
  const { summary, ipPlan, portForwards, mode, targetVmid } = plan;
  return (
    <Section title={texts.heading}>
      <Facts
        nameSpan={4}
        facts={[
          [migrationTexts.columns.mode, migrationModeText(mode)],
          [texts.targetVmid, targetVmid],
          [texts.dataToCopy, dataText(summary)],
          [
            texts.estimatedDuration,
            summary.expectedSeconds === null ? texts.noEstimate : span(summary.expectedSeconds),
          ],
          [texts.transferTime, paceText(summary)],
          [texts.downtime, summary.downtime],
          [texts.address, <AddressPlan key="address" plan={ipPlan} />],
          [
            texts.forwards,
            portForwards.length === 0 ? texts.noForwards : <Forwards key="forwards" forwards={portForwards} />,
          ],
        ]}
      />
    </Section>
  );
}

/** Disks of unknown size come on top. */
const dataText = ({ bytesToCopy, unsizedDisks }: ShownPlan["summary"]): string =>
  unsizedDisks.length === 0 ? bytes(bytesToCopy) : texts.besidesUnknown(bytes(bytesToCopy), unsizedDisks.join(", "));

/** Null where the route has shown no pace in this mode. */
const paceText = ({ bytesPerSecond, transferSeconds }: ShownPlan["summary"]): string | null =>
  bytesPerSecond === null || transferSeconds === null
    ? null
    : texts.atPace(span(transferSeconds), migrationTexts.perSecond(bytes(bytesPerSecond)));

type AddressChange = Pick<ShownPlan["ipPlan"], "kind" | "currentAddress" | "newAddress" | "explanation">;

/** Kept, replaced or left alone, with the reason. */
function AddressPlan({ plan }: { readonly plan: AddressChange }) {
  return (
    <Stack gap={0}>
      <AddressMark plan={plan} />
      <Text fz="xs" c="dimmed">
        {plan.explanation}
      </Text>
    </Stack>
  );
}

/** The same on one line, for tables. */
export function AddressMark({ plan }: { readonly plan: AddressChange }) {
  const { kind, currentAddress, newAddress, explanation } = plan;
  const change =
    kind === "REASSIGN"
      ? `${currentAddress ?? texts.noAddress} → ${newAddress ?? texts.noAddress}`
      : (currentAddress ?? "");
  return (
    <Group gap={6} wrap="nowrap" title={explanation}>
      {kind !== "REASSIGN" && <Badge color="gray">{kind === "KEEP" ? texts.kept : texts.unchanged}</Badge>}
      <span className="mono">{change}</span>
    </Group>
  );
}

function Forwards({ forwards }: { readonly forwards: ShownPlan["portForwards"] }) {
  return (
    <Stack gap={2}>
      {forwards.map(({ forwardId, protocol, publicPort, newPublicPort, dropped, explanation }) => (
        <Text key={forwardId} fz="sm" title={explanation}>
          {texts.forward(protocol, publicPort, dropped ? null : newPublicPort)}
        </Text>
      ))}
    </Stack>
  );
}

export function Checks({ plan }: { readonly plan: ShownPlan }) {
  const { problems, warnings, passed, summary } = plan;
  return (
    <Section title={texts.checks(summary.checkCount)}>
      <Stack gap="xs">
        {problems.map((check) => (
          <CheckLine
            key={check.code}
            check={check}
            icon={<CircleX size={16} aria-label={texts.blocking} />}
            color="red"
          />
        ))}
        {warnings.map((check) => (
          <CheckLine
            key={check.code}
            check={check}
            icon={<TriangleAlert size={16} aria-label={texts.warning} />}
            color="yellow"
          />
        ))}
        {passed.length > 0 && (
          <Accordion variant="default" chevronPosition="left" className="tight">
            <Accordion.Item value="passed">
              <Accordion.Control icon={<CircleCheck size={16} aria-hidden />}>
                <Text fz="sm">{texts.checksPassed(passed.length)}</Text>
              </Accordion.Control>
              <Accordion.Panel>
                <Stack gap={2}>
                  {passed.map(({ code, message }) => (
                    <Text key={code} fz="xs">
                      {message}
                    </Text>
                  ))}
                </Stack>
              </Accordion.Panel>
            </Accordion.Item>
          </Accordion>
        )}
      </Stack>
    </Section>
  );
}

interface CheckLineProperties {
  readonly check: ShownPlan["problems"][number];
  readonly icon: ReactNode;
  readonly color: string;
}

function CheckLine({ check, icon, color }: CheckLineProperties) {
  return (
    <Alert color={color} icon={icon} py={6}>
      <Text fz="sm">{check.message}</Text>
      <Text fz="xs" c="dimmed" className="mono">
        {check.code}
      </Text>
    </Alert>
  );
}

interface StartProperties {
  readonly plan: ShownPlan;
  readonly name: string;
  readonly busy: boolean;
  readonly start: () => void;
}

export function StartButton({ plan, name, busy, start }: StartProperties) {
  return (
    <Group>
      <Button size="sm" disabled={!plan.startable} loading={busy} onClick={start}>
        {texts.title(name)}
      </Button>
      {!plan.startable && (
        <Text fz="sm" c="dimmed">
          {texts.blockingIssues(plan.problems.length)}
        </Text>
      )}
    </Group>
  );
}
