import { Trans, useLingui } from "@lingui/react/macro";
import { NativeSelect, Select, Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api, type LinkRule, responseOf, type RuleDraft } from "../../base/api.ts";
import { useConditionTexts, useValueName } from "../form/condition-texts.ts";
import { type ConditionName, conditionValues } from "../form/condition-value.ts";
import { useTypedSearch } from "../../ui/forms/typed-search.ts";
import { choicesOf } from "./choices.tsx";
import classes from "./rules.module.css";

const DELAY_MS = 200;
const WEBKIT = "AppleWebKit/605.1.15 (KHTML, like Gecko)";
const CHROME = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0";
/** What such devices call themselves. */
const AGENTS = {
  iPhone: `Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) ${WEBKIT} Version/18.5 Mobile/15E148 Safari/604.1`,
  iPad: `Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) ${WEBKIT} Version/18.5 Mobile/15E148 Safari/604.1`,
  android: `Mozilla/5.0 (Linux; Android 15; Pixel 9) ${CHROME} Mobile Safari/537.36`,
  android_tablet: `Mozilla/5.0 (Linux; Android 15; SM-X910) ${CHROME} Safari/537.36`,
  windows: `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME} Safari/537.36`,
  mac: `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${WEBKIT} Version/18.5 Safari/605.1.15`,
  linux: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
};
type Agent = keyof typeof AGENTS;

const explainQuery = (body: RuleDraft) =>
  queryOptions({
    queryKey: ["links", "explained", body],
    queryFn: async ({ signal }) =>
      (await responseOf(api.POST("/admin/v1/links/explain", { body, signal }))).data,
    retry: false,
    staleTime: 10_000,
    placeholderData: keepPreviousData,
  });

type Props = {
  target: string;
  rules: readonly LinkRule[];
  /** The index of the rule that decides, -1 for the target, null if that is not known or nobody has asked. */
  onDecided(rule: number | null): void;
};

/** Where such a visitor would be led by rules, as they stand in the form. */
export function VisitAs({ target, rules, onDecided }: Props) {
  const { t } = useLingui();
  const texts = useConditionTexts();
  const [agent, setAgent] = useState<Agent>("iPhone");
  const [isTried, setTried] = useState(false);
  const [given, setGiven] = useState({
    country: "",
    language: "",
    at: "",
    referrer: "",
    query: "",
    address: "",
  });
  const asks = (name: ConditionName): boolean => rules.some((rule) => rule.if[name] !== undefined);
  const { at, ...others } = given;
  const body: RuleDraft = {
    target,
    rules: [...rules],
    user_agent: AGENTS[agent],
    ...Object.fromEntries(Object.entries(others).filter(([, value]) => value.trim() !== "")),
    ...(at !== "" && { at: new Date(at).toISOString() }),
  };
  const [requested] = useDebouncedValue(JSON.stringify(body), DELAY_MS);
  const { data, isError, isPlaceholderData } = useQuery(explainQuery(JSON.parse(requested) as RuleDraft));
  const decided =
    data === undefined || isError || isPlaceholderData
      ? null
      : data.reason === "rule"
        ? data.steps.at(-1)!.rule
        : -1;
  useEffect(() => onDecided(isTried ? decided : null), [decided, isTried]);
  const set = (name: keyof typeof given) => (value: string | null) =>
    setGiven((now) => ({ ...now, [name]: value ?? "" }));
  const line = (name: "referrer" | "query" | "address") =>
    asks(name) && (
      <TextInput
        key={name}
        label={texts[name]}
        value={given[name]}
        maxLength={2000}
        onChange={({ currentTarget }) => set(name)(currentTarget.value)}
      />
    );
  const list = (name: "country" | "language") => (
    <PlaceSelect
      name={name}
      label={texts[name]}
      first={rules.flatMap((rule) => conditionValues(rule.if[name]))}
      value={given[name]}
      onChange={set(name)}
    />
  );
  return (
    <div
      role="group"
      aria-label={t`Visit as`}
      onFocus={() => setTried(true)}
      onKeyDown={(event) => {
        // Trying saves nothing.
        if (event.key === "Enter" && event.target instanceof HTMLInputElement) event.preventDefault();
      }}
    >
      <Text size="sm" fw={500} mb={4}>
        <Trans>Visit as</Trans>
      </Text>
      <div className={classes["visit"]}>
        <NativeSelect
          label={texts.device}
          value={agent}
          onChange={({ currentTarget }) => setAgent(currentTarget.value as Agent)}
          data={[
            { value: "iPhone", label: "iPhone" },
            { value: "iPad", label: "iPad" },
            { value: "android", label: t`Android phone` },
            { value: "android_tablet", label: t`Android tablet` },
            { value: "windows", label: "Windows" },
            { value: "mac", label: "Mac" },
            { value: "linux", label: "Linux" },
          ]}
        />
        {list("country")}
        {asks("language") && list("language")}
        {(asks("hours") || asks("before") || asks("after")) && (
          <TextInput
            type="datetime-local"
            label={t({ message: "Time", context: "moment" })}
            description={at === "" ? t`Now` : undefined}
            value={at}
            onChange={({ currentTarget }) => set("at")(currentTarget.value)}
          />
        )}
        {(["referrer", "query", "address"] as const).map(line)}
      </div>
      <Text
        size="sm"
        mt="xs"
        role="status"
        style={{ overflowWrap: "anywhere" }}
        {...(isError && { c: "dimmed" })}
      >
        {isError ? (
          <Trans>Finish the rules to see where they lead.</Trans>
        ) : data === undefined ? (
          "\u00a0"
        ) : (
          <>
            → <b>{data.target ?? t`nowhere`}</b>
          </>
        )}
        {asks("percent") && !isError && (
          <Text span size="sm" c="dimmed">
            {" "}
            <Trans>Parts of the visitors are drawn: another visitor may be led elsewhere.</Trans>
          </Text>
        )}
      </Text>
    </div>
  );
}

type PlaceProps = {
  name: "country" | "language";
  label: string;
  /** What the rules ask for. */
  first: readonly string[];
  value: string;
  onChange(value: string | null): void;
};

/** What a visitor's address or browser says, chosen from all. Those of the rules come first. */
function PlaceSelect({ name, label, first, value, onChange }: PlaceProps) {
  const { t } = useLingui();
  const nameOf = useValueName();
  const [choices] = useState(() => choicesOf(name, nameOf) ?? []);
  const search = useTypedSearch();
  const isLater = (choice: { value: string }): number => Number(!first.includes(choice.value));
  return (
    <Select
      {...search}
      label={label}
      data={choices.toSorted((a, b) => isLater(a) - isLater(b))}
      value={value || null}
      onChange={onChange}
      allowDeselect={false}
      placeholder={t`Unknown`}
      maxLength={100}
      clearable
      nothingFoundMessage={<Trans>Nothing matches.</Trans>}
    />
  );
}
