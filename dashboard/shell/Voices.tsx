// Shows what is told in the corner, and the questions that are asked, one after the other.
import { Button, Group, Modal } from "@mantine/core";
import { Notifications, notifications } from "@mantine/notifications";
import { useEffect, useState } from "react";
import "@mantine/notifications/styles.css";
import { lendVoices, type Question } from "../components/tell.js";
import { texts } from "../texts/common.js";

/** Above the dialogs of pages: it may ask whether one of them is to be closed. */
const ABOVE_DIALOGS = 300;

export function Voices() {
  const [questions, setQuestions] = useState<readonly Question[]>([]);
  useEffect(
    () =>
      lendVoices({
        show: (notice) => void notifications.show({ ...notice }),
        ask: (question) => setQuestions((before) => [...before, question]),
      }),
    [],
  );
  const [question] = questions;
  return (
    <>
      <Notifications position="bottom-right" limit={4} autoClose={5_000} />
      {question !== undefined && (
        <QuestionDialog question={question} done={() => setQuestions((before) => before.slice(1))} />
      )}
    </>
  );
}

interface Properties {
  readonly question: Question;
  readonly done: () => void;
}

function QuestionDialog({ question, done }: Properties) {
  const { title, children, verb, cancel = texts.cancel, danger = false, answer } = question;
  const decide = (agreed: boolean): void => {
    answer(agreed);
    done();
  };
  return (
    <Modal opened onClose={() => decide(false)} title={title} zIndex={ABOVE_DIALOGS}>
      {children}
      <Group justify="flex-end" mt="md" gap="xs">
        <Button variant="default" onClick={() => decide(false)} data-autofocus={danger || undefined}>
          {cancel}
        </Button>
        <Button
          {...(danger ? { color: "red.9" } : {})}
          onClick={() => decide(true)}
          data-autofocus={!danger || undefined}
        >
          {verb}
        </Button>
      </Group>
    </Modal>
  );
}
