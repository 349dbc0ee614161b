import { useLingui } from "@lingui/react/macro";
import { Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconChevronRight, IconLink } from "@tabler/icons-react";
import { Command } from "cmdk";
import { type KeyboardEvent, type ReactNode, useEffect, useEffectEvent, useMemo, useState } from "react";
import type { Account } from "../base/api.ts";
import type { usePages } from "../base/pages.ts";
import { targetIn } from "../base/targets.ts";
import { useSentence } from "../ui/failure.tsx";
import { Keys } from "../ui/keys/keys.tsx";
import { shortcutOf } from "../ui/keys/shortcuts.ts";
import { recentThings } from "../ui/recent.ts";
import { useShorten } from "../ui/copy/shorten.ts";
import { useActions } from "./actions.ts";
import { useCommandField } from "./command-field.tsx";
import type { CommandRow } from "./command-row.ts";
import classes from "./commands.module.css";
import { useFindings } from "./findings.ts";
import { usePlaceRows } from "./place-rows.tsx";
import { bestFirst, rankOf } from "./rank.ts";
import { useThingRows } from "./thing-rows.tsx";

/** Between the last key and the search. */
const SEARCH_DELAY_MS = 25;
const MOST_LINKS = 6;

type Props = {
  pages: ReturnType<typeof usePages>;
  account: Account;
  typed: string;
  onType(text: string): void;
  onClose(): void;
};

/** What the text finds, in groups. */
function useGroups({ pages, account, typed }: Pick<Props, "pages" | "account" | "typed">) {
  const { t } = useLingui();
  const shorten = useShorten();
  const text = typed.trim();
  const [searched] = useDebouncedValue(text, SEARCH_DELAY_MS);
  const found = useFindings(searched, account);
  const actions = useActions(account);
  const things = useThingRows();
  const places = usePlaceRows();
  const recent = useMemo(recentThings, []);
  const target = account.role === "user" ? null : targetIn(text);
  const direct: CommandRow[] =
    target === null
      ? []
      : [
          {
            id: "shorten",
            icon: IconLink,
            title: t`Shorten and copy`,
            more: target,
            names: [text],
            act: () => shorten(target),
            actions: [],
          },
        ];
  const groups = [
    { label: t`Recent`, items: text === "" ? things.recent(recent) : [] },
    { label: t`Shorten`, items: direct },
    { label: t`Links`, items: things.links(found) },
    { label: t`Files`, items: things.files(found) },
    { label: t`Shares`, items: things.shares(found) },
    { label: t`Tags`, items: places.tags(found) },
    { label: t`Accounts`, items: places.accounts(found) },
    { label: t`Domains`, items: places.domains(found) },
    { label: t`Actions`, items: actions(text) },
    { label: t`Pages`, items: places.pages(text, pages) },
  ];
  // Many settings are named like what one does.
  const settings = places.settings(found).toSorted((a, b) => rankOf(text, a.names) - rankOf(text, b.names));
  const last = settings.length > 0 ? [{ label: t`Settings`, items: settings }] : [];
  const ordered = [...bestFirst(text, groups), ...last].map(({ label, items }) => ({
    label,
    items: label === t`Links` ? items.slice(0, MOST_LINKS) : items,
  }));
  return { groups: ordered, isSearching: found.isSearching || searched !== text, error: found.error };
}

/** Finds pages, actions, links, files, shares, settings and more by what is typed. */
export function CommandMenu({ pages, account, typed, onType, onClose }: Props) {
  const { t } = useLingui();
  const sentenceOf = useSentence();
  const field = useCommandField();
  const { groups, isSearching, error } = useGroups({ pages, account, typed });
  const rows = groups.flatMap(({ items }) => items);
  /** Null: the first. Better ones may still come. */
  const [moved, setMoved] = useState<string | null>(null);
  const [opened, setOpened] = useState<CommandRow | null>(null);
  /** Enter was pressed before the search has ended. */
  const [isAwaited, setIsAwaited] = useState(false);
  const value = rows.some(({ id }) => id === moved) ? moved! : (rows[0]?.id ?? "");
  const chosen = rows.find(({ id }) => id === value);

  const run = (act: () => unknown): void => {
    onClose();
    void act();
  };
  useEffect(() => {
    if (opened === null) field.ref.current?.focus();
  }, [opened]);
  // cmdk names the chosen row only as it chooses itself.
  useEffect(() => {
    const list = field.ref.current?.closest("[cmdk-root]");
    const row = list?.querySelector(`[cmdk-item][data-value="${CSS.escape(value)}"]`);
    if (row) field.ref.current?.setAttribute("aria-activedescendant", row.id);
  });
  const settle = useEffectEvent(() => {
    setIsAwaited(false);
    if (chosen !== undefined) run(chosen.act);
  });
  useEffect(() => {
    if (isAwaited && !isSearching) settle();
  }, [isAwaited, isSearching]);

  function type(text: string): void {
    setMoved(null);
    setIsAwaited(false);
    onType(text);
  }

  function onKey(event: KeyboardEvent<HTMLDivElement>): void {
    const { key, nativeEvent, target } = event;
    if (nativeEvent.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    const input = target instanceof HTMLInputElement ? target : null;
    const isAtEnd = input?.selectionStart === typed.length;
    if ((key === "Tab" && !event.shiftKey) || (key === "ArrowRight" && isAtEnd)) {
      if (chosen === undefined || chosen.actions.length === 0) return;
      event.preventDefault();
      setOpened(chosen);
    } else if (key === "Enter" && isSearching && moved === null) {
      event.preventDefault();
      setIsAwaited(true);
    }
  }

  if (opened !== null) return <RowActions row={opened} onBack={() => setOpened(null)} onRun={run} />;
  return (
    <Command
      label={t`Commands`}
      shouldFilter={false}
      loop
      value={value}
      onValueChange={setMoved}
      onKeyDown={onKey}
    >
      <Command.Input {...field} value={typed} onValueChange={type} />
      <Command.List className={classes["list"]}>
        {groups.map(({ label, items }) => (
          <Command.Group key={label} {...(label !== "" && { heading: label })}>
            {items.map((row) => (
              <Row key={row.id} row={row} onSelect={() => run(row.act)} onMore={() => setOpened(row)} />
            ))}
          </Command.Group>
        ))}
        {error !== null && <div className={classes["note"]}>{sentenceOf(error)}</div>}
        <Command.Empty className={classes["note"]}>
          {isSearching ? t`Searching …` : t`Nothing matches.`}
        </Command.Empty>
      </Command.List>
    </Command>
  );
}

type RowProps = { row: CommandRow; onSelect(): void; onMore(): void };

function Row({ row: { id, icon: Icon, title, more, actions }, onSelect, onMore }: RowProps) {
  const { t } = useLingui();
  return (
    <Command.Item value={id} className={classes["item"]} onSelect={onSelect}>
      <Icon size={18} stroke={1.75} />
      <Words title={title} more={more} />
      {actions.length > 0 && (
        <span
          className={classes["more"]}
          aria-hidden
          title={t`More actions (Tab)`}
          onClick={(event) => {
            event.stopPropagation();
            onMore();
          }}
        >
          <Keys of={["Tab"]} />
          <IconChevronRight size={16} />
        </span>
      )}
    </Command.Item>
  );
}

const Words = ({ title, more }: { title: ReactNode; more?: string | undefined }) => (
  <span className={classes["words"]}>
    <Text span size="sm" fw={500} dir="auto">
      {title}
    </Text>
    {more !== undefined && (
      <Text span size="sm" c="dimmed" dir="auto">
        {more}
      </Text>
    )}
  </span>
);

type ActionsProps = { row: CommandRow; onBack(): void; onRun(act: () => unknown): void };

/** What can be done with one thing: chosen by arrows, or by its own key. */
function RowActions({ row, onBack, onRun }: ActionsProps) {
  const { t } = useLingui();
  const { placeholder: _, maxLength: _most, ...field } = useCommandField();
  function onKey(event: KeyboardEvent<HTMLDivElement>): void {
    if (event.nativeEvent.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    const action = row.actions.find(({ id }) => id === shortcutOf(event.nativeEvent));
    if (["Escape", "Backspace", "ArrowLeft"].includes(event.key)) {
      event.preventDefault();
      // Escape would close the commands.
      event.stopPropagation();
      onBack();
    } else if (event.key === "Tab") event.preventDefault();
    else if (action !== undefined && event.key !== "Enter") {
      event.preventDefault();
      onRun(action.act);
    }
  }
  const name = row.names[0]!;
  return (
    <Command label={t`Actions for ${name}`} shouldFilter={false} loop onKeyDown={onKey}>
      <Command.Input
        {...field}
        readOnly
        value={name}
        aria-label={t`Actions for ${name}`}
        // Escape goes back, and does not close the commands.
        data-mantine-stop-propagation
      />
      <Command.List className={classes["list"]}>
        {row.actions.map(({ id, label, icon: Icon, act }) => (
          <Command.Item key={id} value={id} className={classes["item"]} onSelect={() => onRun(act)}>
            <Icon size={18} stroke={1.75} />
            <Words title={label} />
            <Keys of={id} />
          </Command.Item>
        ))}
      </Command.List>
    </Command>
  );
}
