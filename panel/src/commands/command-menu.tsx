import { useLingui } from "@lingui/react/macro";
import { Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import {
  IconBox,
  IconFile,
  IconFolder,
  IconLink,
  IconSettings,
  IconShare,
  type TablerIcon,
} from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { Command } from "cmdk";
import type { ReactNode } from "react";
import type { Account } from "../base/api.ts";
import type { usePages } from "../base/pages.ts";
import { wordsOf } from "../config/words/setting-words.ts";
import { targetIn } from "../base/targets.ts";
import { CodeName } from "../ui/code-name.tsx";
import { useSentence } from "../ui/failure.tsx";
import { type Action, useActions } from "./actions.ts";
import { useCommandField } from "./command-field.tsx";
import classes from "./commands.module.css";
import { useChosenRow } from "./chosen-row.ts";
import { useFindings } from "./findings.ts";
import { useShorten } from "../ui/shorten.ts";

const SEARCH_DELAY_MS = 120;

type Props = {
  pages: ReturnType<typeof usePages>;
  account: Account;
  typed: string;
  onType(text: string): void;
  onClose(): void;
};

const matches = (typed: string, words: string): boolean => {
  const whole = words.toLowerCase();
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => whole.includes(word));
};

/** Finds pages, actions, links, files, shares and settings by what is typed. */
export function CommandMenu({ pages, account, typed, onType, onClose }: Props) {
  const { t } = useLingui();
  const navigate = useNavigate();
  const shorten = useShorten();
  const sentenceOf = useSentence();
  const actions = useActions(account);
  const root = useChosenRow();
  const field = useCommandField();
  const text = typed.trim();
  const [searched] = useDebouncedValue(text, SEARCH_DELAY_MS);
  const found = useFindings(searched, account);
  const target = account.role === "user" ? null : targetIn(text);
  const run = (action: () => unknown) => () => {
    onClose();
    void action();
  };

  return (
    <Command ref={root} label={t`Commands`} shouldFilter={false} loop>
      <Command.Input {...field} value={typed} onValueChange={onType} />
      <Command.List className={classes["list"]}>
        {target !== null && (
          <Row
            id="shorten"
            icon={IconLink}
            onSelect={run(() => shorten(target))}
            title={t`Shorten and copy`}
            more={target}
          />
        )}
        <Found label={t`Links`} items={found.links}>
          {(link) => (
            <Row
              key={`link ${link.domain} ${link.code}`}
              id={`link ${link.domain} ${link.code}`}
              icon={IconLink}
              title={<CodeName code={link.code} domain={link.domain} />}
              more={link.title ?? link.target}
              onSelect={run(() =>
                navigate({
                  to: "/link/$",
                  params: { _splat: link.code },
                  search: link.domain === null ? {} : { domain: link.domain },
                }),
              )}
            />
          )}
        </Found>
        <Found label={t`Files`} items={found.files}>
          {(entry) => (
            <Row
              key={`${entry.kind} ${entry.id}`}
              id={`${entry.kind} ${entry.id}`}
              icon={entry.kind === "folder" ? IconFolder : IconFile}
              title={entry.name}
              more={entry.path.map(({ name }) => name).join(" / ")}
              onSelect={run(() => {
                const folder = entry.kind === "folder" ? entry.id : entry.folder_id;
                return navigate({ to: "/files", search: folder === null ? {} : { folder } });
              })}
            />
          )}
        </Found>
        <Found label={t`Shares`} items={found.shares}>
          {(share) => (
            <Row
              key={`share ${share.domain} ${share.code}`}
              id={`share ${share.domain} ${share.code}`}
              icon={share.kind === "drop" ? IconBox : IconShare}
              title={share.title ?? share.entry?.name ?? share.code}
              more={share.code}
              onSelect={run(() => navigate({ to: "/shares", search: { q: share.code } }))}
            />
          )}
        </Found>
        <Found label={t`Settings`} items={found.settings}>
          {(setting) => (
            <Row
              key={`setting ${setting.key}`}
              id={`setting ${setting.key}`}
              icon={IconSettings}
              title={wordsOf(setting).name}
              more={setting.key}
              onSelect={run(() => navigate({ to: "/settings", search: { q: setting.key } }))}
            />
          )}
        </Found>
        <Found
          label={t`Actions`}
          items={actions.filter(({ label, words }) => matches(text, `${label} ${words}`))}
        >
          {({ id, label, icon, act }: Action) => (
            <Row key={id} id={id} icon={icon} title={label} onSelect={run(act)} />
          )}
        </Found>
        <Found label={t`Pages`} items={pages.filter(({ label, to }) => matches(text, `${label} ${to}`))}>
          {({ to, label, icon }) => (
            <Row
              key={to}
              id={`page ${to}`}
              icon={icon}
              title={label}
              onSelect={run(() => navigate({ to }))}
            />
          )}
        </Found>
        {found.error !== null && <div className={classes["note"]}>{sentenceOf(found.error)}</div>}
        <Command.Empty className={classes["note"]}>
          {found.isSearching || searched !== text ? t`Searching …` : t`Nothing matches.`}
        </Command.Empty>
      </Command.List>
    </Command>
  );
}

type FoundProps<T> = { label: string; items: readonly T[]; children(item: T): ReactNode };

const Found = <T,>({ label, items, children }: FoundProps<T>) =>
  items.length > 0 && <Command.Group heading={label}>{items.map(children)}</Command.Group>;

type RowProps = { id: string; icon: TablerIcon; title: ReactNode; more?: string; onSelect(): void };

function Row({ id, icon: Icon, title, more, onSelect }: RowProps) {
  return (
    <Command.Item value={id} className={classes["item"]} onSelect={onSelect}>
      <Icon size={18} stroke={1.75} />
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
    </Command.Item>
  );
}
