// The command palette: goes to anything by name or number, and to what can be done with it, by keyboard alone.
import { Modal, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { Search } from "lucide-react";
import { useEffect, useId, useRef, useState, type KeyboardEvent } from "react";
import { messageOf } from "../../components/Answer.js";
import { isTypedKept, takeTyped } from "../typedAhead.js";
import { entryGroups, type Entry } from "./entries.js";
import { EntryList } from "./EntryList.js";
import { useFound } from "./useFound.js";
import { wishOf } from "./wish.js";
import { texts } from "../../texts/palette.js";

/** Loaded when it is first asked for; opens whenever `searches` has grown. */
export default function Palette({ searches }: { readonly searches: number }) {
  /** Opened by the effect alone: only who comes later is known to have had the keyboard before. */
  const [opened, setOpened] = useState(false);
  /** Who went somewhere goes on there, not where the palette was opened. */
  const [left, setLeft] = useState(false);
  useEffect(() => {
    // Escape may have come first.
    if (isTypedKept()) setOpened(true);
    setLeft(false);
  }, [searches]);
  const close = (): void => setOpened(false);
  return (
    <Modal
      opened={opened}
      onClose={close}
      returnFocus={!left}
      // At once: what is typed next is meant for it.
      transitionProps={{ duration: 0 }}
      withCloseButton={false}
      padding={0}
      size={620}
      yOffset="8dvh"
      attributes={{ content: { "aria-label": texts.label } }}
    >
      <Finder
        searches={searches}
        leave={() => {
          setLeft(true);
          close();
        }}
      />
    </Modal>
  );
}

interface FinderProperties {
  /** Grows when the search is asked for again. */
  readonly searches: number;
  readonly leave: () => void;
}

function Finder({ searches, leave }: FinderProperties) {
  const navigate = useNavigate();
  const listId = useId();
  const [text, setText] = useState("");
  const [chosen, choose] = useState<string | null>(null);
  /** Enter was pressed before the answer was there. */
  const [hurried, setHurried] = useState(false);
  const wish = wishOf(text);
  const found = useFound(wish);
  const groups = entryGroups(wish, found);
  const entries = groups.flatMap((group) => group.entries);
  const place = Math.max(
    0,
    entries.findIndex(({ key }) => key === chosen),
  );
  const current = entries[place];

  const open = ({ link }: Entry): void => {
    leave();
    void navigate(link);
  };
  const field = useRef<HTMLInputElement>(null);
  const takeOver = (): void => {
    const typed = takeTyped();
    if (typed === null) return;
    setText((before) => before + typed.text);
    setHurried(typed.entered);
  };
  useEffect(() => {
    if (document.activeElement === field.current) takeOver();
  }, [searches]);
  useEffect(() => {
    if (!hurried || found.waiting) return;
    setHurried(false);
    if (current !== undefined) open(current);
  });
  const step = (by: number): void => choose(entries[(place + by + entries.length) % entries.length]?.key ?? null);
  const press = (event: KeyboardEvent): void => {
    // Enter while signs are composed means them.
    if (event.nativeEvent.isComposing) return;
    if (event.key === "ArrowDown") step(1);
    else if (event.key === "ArrowUp") step(-1);
    else if (event.key === "Enter" && found.waiting && chosen === null) setHurried(true);
    else if (event.key === "Enter" && current !== undefined) open(current);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <TextInput
        ref={field}
        data-autofocus
        onFocus={takeOver}
        size="md"
        variant="unstyled"
        leftSection={<Search size={16} aria-hidden />}
        placeholder={texts.placeholder}
        aria-label={texts.label}
        role="combobox"
        aria-expanded={entries.length > 0}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={current === undefined ? undefined : `${listId}-${place}`}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value);
          choose(null);
          setHurried(false);
        }}
        onKeyDown={press}
      />
      <EntryList id={listId} groups={groups} place={place} onOpen={open} />
      <p className="palette-state" role="status">
        {stateOf(found, entries.length)}
      </p>
    </>
  );
}

/** What those hear who do not see the list, and see who find it empty. */
function stateOf({ waiting, error }: ReturnType<typeof useFound>, many: number): string {
  if (waiting) return texts.searching;
  if (error !== undefined) return texts.failed(messageOf(error));
  return many === 0 ? texts.noResults : texts.count(many);
}
