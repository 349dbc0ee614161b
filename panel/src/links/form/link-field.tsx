import { Trans, useLingui } from "@lingui/react/macro";
import { Checkbox, NumberInput, PasswordInput, Select, Switch, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { TagsField } from "../tags-field.tsx";
import { domainsQuery } from "./domains.ts";
import { useFieldTexts, useRedirectKinds } from "./field-texts.ts";
import type { LinkFieldName, LinkValues } from "./link-values.ts";
import { TimeField, type TimeStep } from "./time-field.tsx";
import { MOST_TYPED, useTooLong } from "./target-bound.ts";
import { withScheme } from "./with-scheme.ts";

export type LinkFieldProps = {
  name: Exclude<LinkFieldName, "code">;
  values: LinkValues;
  set<N extends LinkFieldName>(name: N, value: LinkValues[N]): void;
  error: ReactNode;
  /** Whether the link has one. */
  hasPassword: boolean;
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
export function LinkField({ name, values, set, error, hasPassword }: LinkFieldProps) {
  const { t } = useLingui();
  const { label, does } = useFieldTexts()[name];
  const kinds = useRedirectKinds();
  const tooLong = useTooLong(name === "target" || name === "fallback_url" ? values[name] : "");
  const shared = { label, description: does, error: tooLong ?? error };
  switch (name) {
    case "target":
    case "fallback_url":
      return (
        <TextInput
          {...shared}
          value={values[name]}
          onChange={(event) => set(name, event.currentTarget.value)}
          onBlur={(event) => {
            const whole = withScheme(event.currentTarget.value);
            if (whole !== values[name]) set(name, whole);
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
    case "title":
      return (
        <TextInput
          {...shared}
          value={values.title}
          onChange={(event) => set("title", event.currentTarget.value)}
          maxLength={200}
          dir="auto"
        />
      );
    case "note":
      return (
        <Textarea
          {...shared}
          value={values.note}
          onChange={(event) => set("note", event.currentTarget.value)}
          maxLength={2000}
          autosize
          minRows={2}
          maxRows={8}
          dir="auto"
        />
      );
    case "tags":
      return <TagsField {...shared} value={values.tags} onChange={(tags) => set("tags", tags)} />;
    case "domain":
      return <DomainField {...shared} value={values.domain} onChange={(host) => set("domain", host)} />;
    case "starts_at":
    case "expires_at":
      return (
        <TimeField
          {...shared}
          value={values[name]}
          onChange={(instant) => set(name, instant)}
          steps={name === "expires_at" ? STEPS : STEPS.slice(0, 2)}
        />
      );
    case "max_clicks":
      return (
        <NumberInput
          {...shared}
          value={values.max_clicks === "" ? "" : Number(values.max_clicks)}
          onChange={(most) => set("max_clicks", String(most))}
          min={1}
          max={Number.MAX_SAFE_INTEGER}
          allowDecimal={false}
          allowNegative={false}
          hideControls
          placeholder={t`Unlimited`}
          maxLength={20}
        />
      );
    case "redirect_status":
      return (
        <Select
          {...shared}
          value={values.redirect_status}
          onChange={(status) => set("redirect_status", status ?? "307")}
          data={Object.entries(kinds).map(([value, kind]) => ({ value, label: kind }))}
          allowDeselect={false}
        />
      );
    case "forward_query":
    case "keep_old":
      return (
        <Switch
          {...shared}
          checked={values[name]}
          onChange={(event) => set(name, event.currentTarget.checked)}
        />
      );
    case "removes_password":
      return (
        <Checkbox
          label={label}
          checked={values.removes_password}
          onChange={(event) => set("removes_password", event.currentTarget.checked)}
        />
      );
    case "password":
      return (
        <PasswordInput
          {...shared}
          value={values.password}
          onChange={(event) => set("password", event.currentTarget.value)}
          disabled={values.removes_password}
          placeholder={hasPassword ? t`Set. Type a new one to change it.` : t`None`}
          autoComplete="new-password"
          maxLength={1024}
        />
      );
  }
}

type Shared = { label: string; description: string; error: ReactNode };

function DomainField({
  value,
  onChange,
  ...shared
}: Shared & { value: string; onChange(host: string): void }) {
  const { t } = useLingui();
  const { data: domains = [] } = useQuery(domainsQuery);
  const hosts = new Set([...domains.map(({ host }) => host), value]);
  hosts.delete("");
  return (
    <Select
      {...shared}
      value={value}
      onChange={(host) => onChange(host ?? "")}
      data={[{ value: "", label: t`The default domain` }, ...hosts]}
      searchable={hosts.size > 8}
      maxLength={MOST_SEARCHED}
      nothingFoundMessage={<Trans>No domain matches.</Trans>}
      allowDeselect={false}
    />
  );
}
