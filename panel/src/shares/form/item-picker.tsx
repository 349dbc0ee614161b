import { Trans, useLingui } from "@lingui/react/macro";
import {
  Alert,
  Breadcrumbs,
  Button,
  Checkbox,
  Group,
  Input,
  Paper,
  ScrollArea,
  Skeleton,
  Text,
  TextInput,
  UnstyledButton,
} from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconFile, IconFolder, IconSearch, type TablerIcon } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { byName } from "../../base/i18n.ts";
import { NewFolder } from "../../files/moves/new-folder.tsx";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { useSentence } from "../../ui/failure.tsx";
import { choicesQuery, foundChoicesQuery } from "../share-queries.ts";
import type { SharedItem } from "../share-search.ts";
import classes from "../shares.module.css";

type Props = {
  /** In whose tree; undefined: the account's own. */
  team: string | undefined;
  /** What may be chosen. */
  kind: SharedItem["kind"];
  value: SharedItem | null;
  onChange(item: SharedItem): void;
  error?: string | undefined;
};

/** Chooses a file or folder. */
export function ItemPicker({ team, kind, value, onChange, error }: Props) {
  const { t } = useLingui();
  const [isOpen, setIsOpen] = useState(value === null);
  const isChosen = useRef(false);
  const label = kind === "file" ? t`File` : t`Folder`;
  const Icon = kind === "file" ? IconFile : IconFolder;
  return (
    <Input.Wrapper label={label} labelElement="div" error={error} errorProps={{ role: "alert" }}>
      {value !== null && (
        <Group gap={8} wrap="nowrap" mt={2} mb={isOpen ? 6 : 0}>
          <Icon size={18} stroke={1.5} aria-hidden style={{ flexShrink: 0 }} />
          <Text size="sm" truncate style={{ flex: 1 }} title={value.name}>
            <bdi>{value.name}</bdi>
          </Text>
          {!isOpen && (
            <Button
              size="compact-sm"
              variant="default"
              data-wrong={error !== undefined || undefined}
              // The list that had the focus is gone.
              ref={(button) => {
                if (button === null || !isChosen.current) return;
                isChosen.current = false;
                button.focus();
              }}
              onClick={() => setIsOpen(true)}
            >
              <Trans>Choose another</Trans>
            </Button>
          )}
        </Group>
      )}
      {isOpen && (
        <Choices
          team={team}
          kind={kind}
          isWrong={error !== undefined}
          onChoose={(item) => {
            isChosen.current = true;
            onChange(item);
            setIsOpen(false);
          }}
        />
      )}
    </Input.Wrapper>
  );
}

type Item = { id: number; name: string; path?: readonly { name: string }[] | undefined };
type Listed = { folders: readonly Item[]; files: readonly Item[] };

const SEARCH_DELAY_MS = 150;
/** Of a search of files. */
const LONGEST_SEARCH = 255;

const listedOf = (found: readonly (Item & { kind: "file" | "folder" })[]): Listed => ({
  folders: found.filter(({ kind }) => kind === "folder"),
  files: found.filter(({ kind }) => kind === "file"),
});

type ChoiceProps = {
  icon: TablerIcon;
  item: Omit<Item, "id">;
  label?: string;
  /** Of several that can be chosen; absent: it is the only one. */
  isChosen?: boolean | undefined;
  onChoose(): void;
};

const Choice = ({ icon: Icon, item: { name, path = [] }, label, isChosen, onChoose }: ChoiceProps) => (
  <UnstyledButton
    className={classes["choice"]}
    onClick={onChoose}
    {...(label && { "aria-label": label })}
    {...(isChosen !== undefined && { "aria-pressed": isChosen })}
  >
    {isChosen !== undefined && <Checkbox.Indicator size="xs" checked={isChosen} />}
    <Icon size={18} stroke={1.5} aria-hidden />
    <bdi>{name}</bdi>
    {path.length > 0 && (
      <Text span size="xs" c="dimmed" truncate>
        <bdi>{path.map((step) => step.name).join(" / ")}</bdi>
      </Text>
    )}
  </UnstyledButton>
);

type ChoicesProps = Pick<Props, "team" | "kind"> & {
  /** Several can be chosen. */
  chosen?: readonly SharedItem[];
  isWrong: boolean;
  onChoose(item: SharedItem): void;
};

/** The tree to choose from. */
export function Choices({ team, kind, chosen, isWrong, onChoose }: ChoicesProps) {
  const { t } = useLingui();
  const sentenceOf = useSentence();
  const [folder, setFolder] = useState<number | null>(null);
  const [text, setText] = useState("");
  const [q] = useDebouncedValue(text.trim(), SEARCH_DELAY_MS);
  const isSearching = q !== "" && text !== "";
  const opened = useQuery(choicesQuery(folder, team));
  const found = useQuery(foundChoicesQuery(q, team));
  const { error } = isSearching ? found : opened;
  const here = opened.data?.path.at(-1);
  const data: Listed | undefined = isSearching ? found.data && listedOf(found.data) : opened.data;
  const [folders, files] = [data?.folders ?? [], data?.files ?? []].map((all: readonly Item[]) =>
    isSearching ? all : all.toSorted(byName()),
  ) as [readonly Item[], readonly Item[]];
  function goTo(id: number | null): void {
    setText("");
    setFolder(id);
  }
  const choices = useRef<HTMLDivElement>(null);
  const isShown = data !== undefined;
  // A list that replaces the focused one takes over the focus.
  useEffect(() => {
    if (!isShown || document.activeElement !== choices.current) return;
    choices.current?.querySelector<HTMLElement>("[data-choices] :is(button, a)")?.focus();
  }, [isShown]);
  const isEmpty =
    data !== undefined && data.folders.length === 0 && (kind === "folder" || data.files.length === 0);
  return (
    <Paper
      ref={choices}
      withBorder
      p={6}
      radius="md"
      tabIndex={-1}
      data-autofocus
      data-wrong={isWrong || undefined}
      role="group"
      aria-label={kind === "folder" ? t`Folder` : chosen ? t`Files` : t`File`}
    >
      <Breadcrumbs px={6} py={4} separatorMargin={4}>
        <UnstyledButton className={classes["crumb"]} onClick={() => goTo(null)}>
          <Trans>All files</Trans>
        </UnstyledButton>
        {opened.data?.path.map(({ id, name }) => (
          <UnstyledButton key={id} className={classes["crumb"]} onClick={() => goTo(id)}>
            <bdi>{name}</bdi>
          </UnstyledButton>
        ))}
      </Breadcrumbs>
      <TextInput
        size="xs"
        mx={2}
        mb={6}
        type="search"
        maxLength={LONGEST_SEARCH}
        leftSection={<IconSearch size={14} aria-hidden />}
        placeholder={t`Search all folders`}
        aria-label={t`Search all folders`}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        // Enter would send the form around it.
        onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
      />
      {/* One height: what comes moves no field below. */}
      <ScrollArea h="clamp(7rem, 28vh, 12.5rem)" type="auto" viewportProps={{ tabIndex: -1 }} data-choices>
        {error !== null && <Alert color="red">{sentenceOf(error)}</Alert>}
        {data === undefined && error === null && <Skeleton height={196} />}
        {folders.map(({ id, name, path }) => (
          <Choice
            key={`folder ${id}`}
            icon={IconFolder}
            item={{ name, path }}
            label={t`Open the folder ${name}`}
            onChoose={() => goTo(id)}
          />
        ))}
        {kind === "file" &&
          files.map(({ id, name, path }) => (
            <Choice
              key={`file ${id}`}
              icon={IconFile}
              item={{ name, path }}
              isChosen={chosen?.some((one) => one.id === id)}
              onChoose={() => onChoose({ kind: "file", id, name })}
            />
          ))}
        {isEmpty && (
          <Text size="sm" c="dimmed" p={6}>
            {isSearching ? (
              <Trans>Nothing is found.</Trans>
            ) : kind === "folder" ? (
              <Trans>There are no folders here.</Trans>
            ) : folder === null ? (
              <NoFiles />
            ) : (
              <Trans>There is nothing in this folder.</Trans>
            )}
          </Text>
        )}
      </ScrollArea>
      {kind === "folder" && !isSearching && (
        <OpenFolder
          id={folder}
          folder={here}
          team={team}
          onChoose={(made) => onChoose({ kind: "folder", ...made })}
        />
      )}
    </Paper>
  );
}

type Folder = { id: number; name: string };
type OpenFolderProps = {
  /** Null for the root, of which there is no `folder`. */
  id: number | null;
  folder: Folder | undefined;
  team: Props["team"];
  onChoose(folder: Folder): void;
};

/** Chooses the open folder, or a new one in it. */
const OpenFolder = ({ id, folder, team, onChoose }: OpenFolderProps) => (
  <>
    <NewFolder key={id} parent={id} team={team} onMade={onChoose} />
    <Button
      mt={6}
      size="xs"
      variant="light"
      fullWidth
      disabled={folder === undefined}
      onClick={() => folder && onChoose(folder)}
    >
      {folder === undefined ? (
        <Trans>Open a folder to choose it</Trans>
      ) : (
        <Trans>Choose “{folder.name}”</Trans>
      )}
    </Button>
  </>
);

/** Advice if there is nothing to share yet. */
const NoFiles = () => (
  <>
    <Trans>There are no files yet. Upload one first:</Trans>{" "}
    <AnchorLink to="/files" inherit>
      <Trans>Open the files</Trans>
    </AnchorLink>
  </>
);
