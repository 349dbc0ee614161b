import { Trans, useLingui } from "@lingui/react/macro";
import { Checkbox, NumberInput, PasswordInput, Select, Switch, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { OwnerField } from "../../auth/teams/owner-field.tsx";
import type { Link } from "../../base/api.ts";
import { hasTargets } from "../../base/targets.ts";
import { TagsField } from "../tags-field.tsx";
import { isAddress } from "../../ui/lists/target-use.tsx";
import { hostsQuery, useDefaultBase } from "./domains.ts";
import { AskPasswords } from "./ask-passwords.tsx";
import { useFieldTexts, useRedirectKinds } from "./field-texts.ts";
import { FIELDS, type LinkFieldName, type LinkValues, type Row } from "./link-values.ts";
import { TimeField, type TimeStep } from "./time-field.tsx";
import { MOST_TYPED, useTooLong } from "./target-bound.ts";
import { withScheme } from "./with-scheme.ts";

export type LinkFieldProps = {
  name: Exclude<LinkFieldName, "code">;
  values: LinkValues;
  set<N extends LinkFieldName>(name: N, value: LinkValues[N]): void;
  error: ReactNode;
  /** Null for a new one. */
  link: Link | null;
  /** Takes a pasted list of targets. Without it, the list is pasted as it is. */
  onMany?: ((text: string) => void) | undefined;
  /** Instead of the purpose. */
  said?: ReactNode;
};

/** Characters. */
const MOST_SEARCHED = 255;
const STEPS: readonly TimeStep[] = [
  [1, "day"],
  [7, "day"],
  [30, "day"],
  [1, "year"],
];

/** One field of a link with its label, its purpose, and its error. */
export function LinkField({ name, values, set, error, link, onMany, said }: LinkFieldProps) {
  const { t } = useLingui();
  const isShare = link !== null && !isAddress(link.target);
  const { label, does } = useFieldTexts(isShare)[name];
  const kinds = useRedirectKinds();
  const tooLong = useTooLong(name === "target" || name === "fallback_url" ? values[name] : "");
  const shared = { label, description: said ?? does, error: tooLong ?? error };
  if (name === "domain") {
    return <DomainField {...shared} value={values.domain} onChange={(host) => set("domain", host)} />;
  }
  if (name === "owner") {
    return <OwnerField {...shared} value={values.owner} onChange={(owner) => set("owner", owner)} />;
  }
  if (name === "removes_password") {
    return (
      <Checkbox
        label={label}
        checked={values.removes_password}
        onChange={(event) => set("removes_password", event.currentTarget.checked)}
      />
    );
  }
  const { kind, most }: Row =
    name === "target" ? { kind: "address" } : name === "keep_old" ? { kind: "switch" } : FIELDS[name];
  const change = (value: LinkValues[typeof name]) => set(name, value);
  const text = String(values[name]);
  const typed = { value: text, onChange: (event: Typed) => change(event.currentTarget.value) };
  switch (kind) {
    case "address":
      return (
        <TextInput
          {...shared}
          {...typed}
          onBlur={(event) => {
            const whole = withScheme(event.currentTarget.value);
            if (whole !== text) change(whole);
          }}
          onPaste={(event) => {
            const pasted = event.clipboardData.getData("text/plain");
            if (onMany === undefined || name !== "target" || !hasTargets(pasted)) return;
            event.preventDefault();
            onMany(pasted);
          }}
          maxLength={MOST_TYPED}
          placeholder="https://"
          inputMode="url"
          autoCapitalize="none"
          spellCheck={false}
          aria-required={name === "target"}
          data-autofocus={name === "target" ? true : undefined}
        />
      );
    case "line":
      return <TextInput {...shared} {...typed} maxLength={most} dir="auto" />;
    case "lines":
      return <Textarea {...shared} {...typed} maxLength={most} autosize minRows={2} maxRows={8} dir="auto" />;
    case "tags":
      return <TagsField {...shared} value={values[name] as string[]} onChange={change} />;
    case "time":
      return (
        <TimeField
          {...shared}
          value={text}
          onChange={change}
          none={name === "expires_at" ? t`Never` : t`At once`}
          steps={name === "expires_at" ? STEPS : STEPS.slice(0, 2)}
        />
      );
    case "count":
      return (
        <NumberInput
          {...shared}
          value={text === "" ? "" : Number(text)}
          onChange={(given) => change(String(given))}
          min={1}
          max={Number.MAX_SAFE_INTEGER}
          allowDecimal={false}
          allowNegative={false}
          hideControls
          placeholder={name === "max_clicks" ? t`Unlimited` : ""}
          maxLength={20}
        />
      );
    case "choice":
      return (
        <Select
          {...shared}
          value={text}
          onChange={(status) => change(status ?? "307")}
          data={Object.entries(kinds).map(([value, kindName]) => ({ value, label: kindName }))}
          allowDeselect={false}
        />
      );
    case "switch":
      return (
        <Switch
          {...shared}
          checked={values[name] === true}
          onChange={(event) => change(event.currentTarget.checked)}
        />
      );
    case "password":
      return (
        <PasswordField
          {...shared}
          {...typed}
          hasPassword={link !== null && link.password !== null}
          isAlwaysRequested={isShare}
          isRemoved={values.removes_password}
        />
      );
  }
}

type Typed = { currentTarget: { value: string } };
type Shared = { label: string; description: ReactNode; error: ReactNode };

function DomainField({
  value,
  onChange,
  ...shared
}: Shared & { value: string; onChange(host: string): void }) {
  const { t } = useLingui();
  const { data: domains = [] } = useQuery(hostsQuery);
  const usual = new URL(useDefaultBase()).host;
  const hosts = new Set([...domains.map(({ host }) => host), value]);
  hosts.delete("");
  return (
    <Select
      {...shared}
      value={value}
      onChange={(host) => onChange(host ?? "")}
      data={[{ value: "", label: t`${usual} (default)` }, ...hosts]}
      searchable={hosts.size > 8}
      maxLength={MOST_SEARCHED}
      nothingFoundMessage={<Trans>No domain matches.</Trans>}
      allowDeselect={false}
    />
  );
}

type PasswordProps = Shared & {
  value: string;
  onChange(event: Typed): void;
  hasPassword: boolean;
  isAlwaysRequested: boolean;
  isRemoved: boolean;
};

function PasswordField({ hasPassword, isAlwaysRequested, isRemoved, ...shared }: PasswordProps) {
  const { t } = useLingui();
  return (
    <div>
      <PasswordInput
        {...shared}
        disabled={isRemoved}
        placeholder={hasPassword ? t`Set. Type a new one to change it.` : t`None`}
        autoComplete="new-password"
        maxLength={1024}
      />
      {!isAlwaysRequested && <AskPasswords isSet={(hasPassword || shared.value !== "") && !isRemoved} />}
    </div>
  );
}
