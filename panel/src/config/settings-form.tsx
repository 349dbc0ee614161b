import { Trans, useLingui } from "@lingui/react/macro";
import { Stack, Text, Title } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { type QueryClient, useMutation, useMutationState, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { SERVER_URL } from "../base/place.ts";
import { giveFocusBack } from "../ui/focus-back.ts";
import { SideForm } from "../ui/forms/side-form.tsx";
import { GroupParts } from "./group-parts.tsx";
import { type Drafts, useSettingDrafts } from "./setting-drafts.ts";
import { SettingHistory } from "./setting-history.tsx";
import { type ShownSetting, writeSettings } from "./setting-queries.ts";
import { SettingRow } from "./setting-row.tsx";
import type { SettingGroup } from "./setting-search.ts";
import { settingGroupOf } from "./words/groups.ts";
import { wordsOf } from "./words/setting-words.ts";
import { DraftBar, type NamedSetting, RestartBar } from "./settings-bars.tsx";
import classes from "./settings.module.css";

type SettingSection = { title: string; settings: readonly ShownSetting[] };

/** `group`: null for what a search finds. */
type Props = {
  all: readonly ShownSetting[];
  sections: readonly SettingSection[];
  group: SettingGroup | null;
};

const SAVE = ["settings", "save"];
const UNDERWAY = { mutationKey: SAVE, status: "pending" } as const;

/** What the server writes into the page, which shows it at once. */
const IN_PAGE =
  /^(?:routes\.frontend_prefix$|features\.(?:instance_name|accent_color|logo|enforce_link_passwords)$|analytics\.time_zone$|links\.ignore_case$|mail\.|oidc\.)/;

const SAVED = "waymark:saved";

const isInPage = (keys: readonly string[]): boolean => keys.some((key) => IN_PAGE.test(key));

const PANEL_PREFIX = "routes.frontend_prefix";

/** The panel may have another path now. */
function loadAnew(message: string, sent: Drafts, queries: QueryClient): void {
  sessionStorage.setItem(SAVED, message);
  const all = queries.getQueryData<ShownSetting[]>(["settings"]) ?? [];
  const panel = all.find(({ setting }) => setting.key === PANEL_PREFIX)?.setting;
  if (Object.hasOwn(sent, PANEL_PREFIX) && panel !== undefined) {
    window.location.assign(`${SERVER_URL}${panel.value}/settings`);
  } else window.location.reload();
}

/** Shows what was saved before the page was loaded anew. */
function showSaved(): void {
  const message = sessionStorage.getItem(SAVED);
  sessionStorage.removeItem(SAVED);
  if (message !== null) notifications.show({ message });
}

const fieldOf = (key: string): HTMLElement | null =>
  document.getElementById(key)?.querySelector<HTMLElement>("input, select, textarea") ?? null;

export function SettingsForm({ all, sections, group }: Props) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const [requested, setRequested] = useState<ShownSetting | null>(null);
  const { drafts, faults, change, forget, forgetSent, refuse, accept } = useSettingDrafts(all);
  const keys = Object.keys(drafts);
  const named = (some: readonly string[]): NamedSetting[] =>
    some.map((key) => {
      const known = all.find(({ definition }) => definition.key === key);
      return { key, name: known === undefined ? key : wordsOf(known.definition).name };
    });
  const valuesOf = (some: readonly string[]) =>
    Object.fromEntries(some.map((key) => [key, drafts[key] ?? null]));

  const save = useMutation({
    mutationKey: SAVE,
    mutationFn: (sent: Drafts) => writeSettings(sent),
    async onSuccess(_, sent) {
      await queries.invalidateQueries({ queryKey: ["settings"] });
      forgetSent(sent);
      const some = Object.keys(sent);
      const message = some.length === 1 ? t`${named(some)[0]!.name} is saved.` : t`All are saved.`;
      if (isInPage(some)) return loadAnew(message, sent, queries);
      // The button is gone with the bar.
      giveFocusBack(() => fieldOf(some[0]!));
      notifications.show({ message });
    },
    onError(error, sent) {
      refuse(Object.keys(sent), error);
      focusFault();
    },
  });
  const sent = useMutationState({
    filters: UNDERWAY,
    select: ({ state }) => Object.keys(state.variables as Drafts),
  }).flat();
  /** A key held down, or a second press, sends nothing again. */
  function saveOnce(some: readonly string[]): void {
    const isSent = queries.isMutating({
      ...UNDERWAY,
      predicate: ({ state }) => some.some((key) => Object.hasOwn(state.variables as Drafts, key)),
    });
    if (isSent === 0) save.mutate(valuesOf(some));
  }
  useEffect(showSaved, []);
  const box = useRef<HTMLDivElement>(null);
  const focusFault = (): void =>
    void requestAnimationFrame(() =>
      requestAnimationFrame(() => box.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus()),
    );
  const check = useMutation({
    mutationFn: (key: string) => writeSettings(valuesOf([key]), true),
    onSuccess: (_, key) => accept([key]),
    onError: (error, key) => refuse([key], error),
  });
  const pending = all.filter(({ setting }) => setting.pending_value !== undefined);

  return (
    <>
      <Stack gap="md" ref={box} className={classes["groups"] ?? ""}>
        <RestartBar settings={named(pending.map(({ setting }) => setting.key))} />
        {sections.length === 0 && (
          <Text c="dimmed">
            <Trans>No setting matches.</Trans>
          </Text>
        )}
        {sections.map(({ title, settings }) => (
          <section key={title} aria-label={title}>
            <Title order={2} size="h5" mb={4}>
              {title}
            </Title>
            {settings.map((setting) => {
              const { key } = setting.definition;
              return (
                <SettingRow
                  key={key}
                  shown={setting}
                  isDetailed={settingGroupOf(key) === "advanced"}
                  draft={drafts[key]}
                  faults={faults}
                  isSaving={sent.includes(key)}
                  isOneOfMany={keys.length > 1}
                  onChange={(value) => change(key, value)}
                  onLeave={() => !sent.includes(key) && check.mutate(key)}
                  onSave={() => saveOnce([key])}
                  onDiscard={() => {
                    forget([key]);
                    giveFocusBack(() => fieldOf(key));
                  }}
                  onHistory={() => setRequested(setting)}
                />
              );
            })}
          </section>
        ))}
        <GroupParts group={group} all={all} />
        <DraftBar
          settings={named(keys)}
          error={save.error}
          isSaving={keys.some((key) => sent.includes(key))}
          onSave={() => saveOnce(keys)}
          onDiscard={() => {
            save.reset();
            forget(keys);
            giveFocusBack(() => fieldOf(keys[0]!));
          }}
        />
      </Stack>
      <RequestedHistory
        requested={requested}
        onTake={(key, value) => {
          change(key, value);
          setRequested(null);
        }}
        onClose={() => setRequested(null)}
      />
    </>
  );
}

type HistoryProps = {
  requested: ShownSetting | null;
  onTake(key: string, value: Parameters<ReturnType<typeof useSettingDrafts>["change"]>[1]): void;
  onClose(): void;
};

function RequestedHistory({ requested, onTake, onClose }: HistoryProps) {
  const { t } = useLingui();
  return (
    <SideForm
      title={requested === null ? "" : t`History of ${wordsOf(requested.definition).name}`}
      isOpen={requested !== null}
      onClose={onClose}
    >
      {requested !== null && (
        <SettingHistory shown={requested} onTake={(value) => onTake(requested.definition.key, value)} />
      )}
    </SideForm>
  );
}
