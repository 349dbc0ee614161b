import { useLingui } from "@lingui/react/macro";
import { MultiSelect, SegmentedControl, Select, SimpleGrid, Stack, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { tagsQuery } from "../link-queries.ts";
import { type FindingChange, type LinkFinding, readLinkSearch, SAFETY } from "../link-search.ts";
import { useSafetyNames } from "../safety-names.ts";
import { hostsQuery } from "../form/domains.ts";
import { OwnerOption } from "../../auth/teams/owner-field.tsx";
import { MOST_OWNERS, useOwners } from "../../auth/teams/owners.ts";
import classes from "./list.module.css";

const DEFAULT_DOMAIN = ":default";
const MOST_SHOWN = 50;
const TYPING_MS = 250;
/** Characters. */
const MOST_SEARCHED = 255;

type Props = { finding: LinkFinding; onChange(change: FindingChange): void };

/** The conditions of the list. Takes the focus, because it loads after the popover around it. */
export function FilterFields({ finding, onChange }: Props) {
  const { t } = useLingui();
  const first = useRef<HTMLDivElement>(null);
  useEffect(() => first.current?.querySelector<HTMLElement>("input:checked")?.focus(), []);
  const { data: domains = [] } = useQuery(hostsQuery);
  const owners = useOwners("see");
  const safetyNames = useSafetyNames();
  const find = useDebouncedCallback(onChange, TYPING_MS);
  const day = (name: "from" | "to", text: string) =>
    onChange({ [name]: readLinkSearch({ [name]: text })[name] });
  return (
    <Stack gap="sm" ref={first}>
      <SegmentedControl
        fullWidth
        aria-label={t`State`}
        value={finding.state ?? "all"}
        onChange={(state) => onChange({ state: readLinkSearch({ state }).state })}
        data={[
          { value: "all", label: t`All` },
          { value: "active", label: t`Active` },
          { value: "expired", label: t`Expired` },
        ]}
      />
      <Select
        label={t`Safety`}
        clearable
        placeholder={t`All`}
        comboboxProps={{ withinPortal: false }}
        value={finding.safety ?? null}
        onChange={(safety) => onChange({ safety: readLinkSearch({ safety }).safety })}
        data={SAFETY.map((value) => ({ value, label: safetyNames[value] }))}
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs" className={classes["pair"]!}>
        <TagsSelect label={t`Has all tags`} value={finding.tag} onChange={(tag) => onChange({ tag })} />
        <TagsSelect
          label={t`Has none of these tags`}
          value={finding.notTag}
          onChange={(notTag) => onChange({ notTag })}
        />
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs" className={classes["pair"]!}>
        <TextInput
          label={t`Target contains`}
          maxLength={MOST_SEARCHED}
          defaultValue={finding.target ?? ""}
          onChange={(event) => find({ target: event.currentTarget.value.trim() || undefined })}
        />
        <TextInput
          label={t`Target does not contain`}
          maxLength={MOST_SEARCHED}
          defaultValue={finding.notTarget ?? ""}
          onChange={(event) => find({ notTarget: event.currentTarget.value.trim() || undefined })}
        />
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs" className={classes["pair"]!}>
        <TextInput
          type="date"
          label={t`Created from`}
          max={finding.to}
          defaultValue={finding.from ?? ""}
          onChange={(event) => day("from", event.currentTarget.value)}
        />
        <TextInput
          type="date"
          label={t`Created until`}
          min={finding.from}
          defaultValue={finding.to ?? ""}
          onChange={(event) => day("to", event.currentTarget.value)}
        />
      </SimpleGrid>
      {/* What is asked for first comes last, so that nothing moves. */}
      {domains.length > 0 && (
        <Select
          label={t`Domain`}
          clearable
          placeholder={t`All domains`}
          comboboxProps={{ withinPortal: false }}
          value={finding.domain === "" ? DEFAULT_DOMAIN : (finding.domain ?? null)}
          onChange={(host) =>
            onChange({ domain: host === null ? undefined : host.replace(DEFAULT_DOMAIN, "") })
          }
          data={[{ value: DEFAULT_DOMAIN, label: t`The default domain` }, ...domains.map(({ host }) => host)]}
        />
      )}
      {owners.length > 1 && (
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs" className={classes["pair"]!}>
          <OwnerSelect
            label={t`Owner`}
            owners={owners}
            value={finding.owner}
            onChange={(owner) => onChange({ owner })}
          />
          <OwnerSelect
            label={t`Owner is not`}
            owners={owners}
            value={finding.notOwner}
            onChange={(notOwner) => onChange({ notOwner })}
          />
        </SimpleGrid>
      )}
    </Stack>
  );
}

type TagsProps = { label: string; value: string[] | undefined; onChange(tags: string[] | undefined): void };

function TagsSelect({ label, value = [], onChange }: TagsProps) {
  const { t } = useLingui();
  const { data: tags = [] } = useQuery(tagsQuery);
  return (
    <MultiSelect
      label={label}
      searchable
      maxLength={MOST_SEARCHED}
      clearable
      hidePickedOptions
      limit={MOST_SHOWN}
      nothingFoundMessage={t`No tag matches`}
      comboboxProps={{ withinPortal: false }}
      value={value}
      onChange={(chosen) => onChange(chosen.length === 0 ? undefined : chosen)}
      data={[...new Set([...tags.map(({ tag }) => tag), ...value])]}
    />
  );
}

type OwnerProps = {
  label: string;
  owners: readonly string[];
  value: string | undefined;
  onChange(owner: string | undefined): void;
};

function OwnerSelect({ label, owners, value, onChange }: OwnerProps) {
  const { t } = useLingui();
  return (
    <Select
      label={label}
      clearable
      searchable
      maxLength={MOST_SEARCHED}
      placeholder={t`Anyone`}
      comboboxProps={{ withinPortal: false }}
      limit={MOST_OWNERS}
      value={value ?? null}
      onChange={(owner) => onChange(owner ?? undefined)}
      data={[...new Set([...owners, ...(value === undefined ? [] : [value])])]}
      renderOption={({ option }) => <OwnerOption name={option.value} />}
    />
  );
}
