import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Select, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useRouter } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { useShortcuts } from "../ui/keys/page-keys.ts";
import { ariaKeysOf } from "../ui/keys/shortcuts.ts";
import { type EventSearch, LONGEST_TEXT } from "./event-search.ts";
import { useActionNames, useViaNames } from "./event-texts.ts";
import classes from "./events.module.css";

const TYPING_MS = 250;

type Props = { search: EventSearch; onChange(next: Record<string, unknown>, isTyped?: boolean): void };

export function EventFilters({ search, onChange }: Props) {
  const { t } = useLingui();
  const [vias, actions] = [useViaNames(), useActionNames()];
  /** All fields: one may change before the other is sent. */
  const typed = useRef<Record<string, unknown>>({});
  const send = useDebouncedCallback(() => {
    onChange(typed.current, true);
    typed.current = {};
  }, TYPING_MS);
  function change(field: Record<string, unknown>): void {
    Object.assign(typed.current, field);
    send();
  }
  // The fields then begin anew: the filters are cleared, or Back brings other ones.
  const isOther = useRef(false);
  const [turn, setTurn] = useState(0);
  const { history } = useRouter();
  useEffect(
    () =>
      history.subscribe(({ action }) => void (isOther.current = !["PUSH", "REPLACE"].includes(action.type))),
    [history],
  );
  useEffect(() => {
    if (isOther.current) setTurn((now) => now + 1);
  }, [search]);
  const first = useRef<HTMLInputElement>(null);
  useShortcuts({ filter: () => first.current?.select() });
  const isFiltered = Object.keys(search).length > 0;
  return (
    <div className={classes["filters"]} key={turn} role="search" aria-label={t`Filters`}>
      <TextInput
        ref={first}
        aria-keyshortcuts={ariaKeysOf("filter")}
        label={t`Who`}
        defaultValue={search.actor}
        maxLength={LONGEST_TEXT}
        autoCapitalize="none"
        onChange={(event) => change({ actor: event.currentTarget.value.trim() })}
      />
      <TextInput
        label={t({ message: "About", context: "filter" })}
        placeholder={t`Code, account or setting`}
        defaultValue={search.subject}
        maxLength={LONGEST_TEXT}
        autoCapitalize="none"
        onChange={(event) => change({ subject: event.currentTarget.value.trim() })}
      />
      <Select
        label={t`What`}
        placeholder={t`Anything`}
        clearable
        searchable
        maxLength={LONGEST_TEXT}
        clearButtonProps={{ "aria-label": t`Anything` }}
        value={search.action ?? null}
        data={Object.entries({ ...(search.action && { [search.action]: search.action }), ...actions }).map(
          ([value, label]) => ({ value, label }),
        )}
        onChange={(action) => onChange({ action })}
      />
      <Select
        label={t`How`}
        placeholder={t`Any way`}
        clearable
        clearButtonProps={{ "aria-label": t`Any way` }}
        value={search.via ?? null}
        data={Object.entries(vias).map(([value, label]) => ({ value, label }))}
        onChange={(via) => onChange({ via })}
      />
      <TextInput
        type="date"
        label={t`From`}
        defaultValue={search.from}
        max={search.to}
        onChange={(event) => change({ from: event.currentTarget.value })}
      />
      <TextInput
        type="date"
        label={t`To`}
        defaultValue={search.to}
        min={search.from}
        onChange={(event) => change({ to: event.currentTarget.value })}
      />
      {isFiltered && (
        <Button
          variant="subtle"
          onClick={() => {
            send.cancel();
            typed.current = {};
            onChange({ actor: "", action: "", subject: "", via: "", from: "", to: "" });
            isOther.current = true;
          }}
        >
          <Trans>Clear the filters</Trans>
        </Button>
      )}
    </div>
  );
}
