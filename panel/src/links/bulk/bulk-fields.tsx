import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { SegmentedControl, Select, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { OwnerField } from "../../auth/teams/owner-field.tsx";
import { useOwners } from "../../auth/teams/owners.ts";
import { Disclosure } from "../../ui/disclosure.tsx";
import { FormFields } from "../../ui/forms/side-form.tsx";
import { useDraftForm } from "../../ui/forms/use-draft-form.tsx";
import { hostsQuery } from "../form/domains.ts";
import { BULK_DRAFT, type LinksChange } from "./bulk-change.ts";
import { timeOfLocal } from "../list/local-time.ts";
import { countOfSelected, type Selected } from "../list/selection.ts";
import { UtmFields, type UtmValues } from "../form/utm-fields.tsx";
import { TagsField } from "../tags-field.tsx";
import { ReplacePreview } from "./replace-preview.tsx";

type Props = {
  selected: Selected;
  isAtOwner: boolean;
  onSave(change: LinksChange): void;
  onClose(): void;
};

type Values = {
  add: string[];
  remove: string[];
  expiry: string;
  expires: string;
  domain: string | null;
  owner: string;
  text: string;
  by: string;
  utm: UtmValues;
};
const BLANK: Values = {
  add: [],
  remove: [],
  expiry: "keep",
  expires: "",
  domain: null,
  owner: "",
  text: "",
  by: "",
  utm: {},
};
const AUTOFOCUS = { "data-autofocus": true };
const DEFAULT_DOMAIN = ":default";
/** Characters. */
const MOST_TYPED = 2_000;

export function BulkFields({ selected, isAtOwner, onSave, onClose }: Props) {
  const { t } = useLingui();
  const { form, notice } = useDraftForm<Values>(BULK_DRAFT, BLANK);
  const { add, remove, expiry, expires, domain, owner, text, by } = form.values;
  const utm = Object.fromEntries(Object.entries(form.values.utm).filter(([, value]) => value !== ""));
  const hasUtm = Object.keys(utm).length > 0;
  const { data: domains = [] } = useQuery(hostsQuery);
  const owners = useOwners("change");
  const count = countOfSelected(selected);
  const isExpiring = expiry === "never" || (expiry === "at" && expires !== "");
  const isEmpty =
    [...add, ...remove].length === 0 &&
    !isExpiring &&
    domain === null &&
    owner.trim() === "" &&
    text === "" &&
    !hasUtm;

  function save(): void {
    onSave({
      add,
      remove,
      ...(isExpiring && { expires: expiry === "never" ? null : timeOfLocal(expires) }),
      ...(domain !== null && { domain: domain === DEFAULT_DOMAIN ? "" : domain }),
      ...(owner.trim() !== "" && { owner: owner.trim() }),
      ...(text !== "" && { replace: { text, by } }),
      ...(hasUtm && { utm }),
    });
  }

  return (
    <FormFields
      onSubmit={form.onSubmit(save)}
      onClose={onClose}
      error={null}
      isPending={false}
      isRefused={isEmpty}
      action={t`Change`}
    >
      <Text size="sm" c="dimmed">
        <Plural value={count} one="# link is selected." other="# links are selected." />
      </Text>
      {notice}
      <TagsField {...form.getInputProps("add")} label={t`Add tags`} {...(!isAtOwner && AUTOFOCUS)} />
      <TagsField {...form.getInputProps("remove")} label={t`Remove tags`} />
      <Stack gap={4}>
        <Text size="sm" fw={600}>
          <Trans>Expires</Trans>
        </Text>
        <SegmentedControl
          aria-label={t`Expires`}
          {...form.getInputProps("expiry")}
          data={[
            { value: "keep", label: t`Keep` },
            { value: "never", label: t`Never` },
            { value: "at", label: t`On a day` },
          ]}
        />
        {expiry === "at" && (
          <TextInput
            {...form.getInputProps("expires")}
            type="datetime-local"
            aria-label={t`Expires on`}
            required
          />
        )}
      </Stack>
      {domains.length > 0 && (
        <Select
          {...form.getInputProps("domain")}
          label={t`Domain`}
          clearable
          placeholder={t`Keep`}
          data={[{ value: DEFAULT_DOMAIN, label: t`The default domain` }, ...domains.map(({ host }) => host)]}
        />
      )}
      {(owners.length > 1 || isAtOwner) && (
        <OwnerField
          {...form.getInputProps("owner")}
          {...(isAtOwner && AUTOFOCUS)}
          value={owner}
          label={t`Owner`}
          placeholder={t`Keep`}
        />
      )}
      <TargetChange
        selected={selected}
        values={form.values}
        onChange={(changed) => form.setValues({ ...form.values, ...changed })}
      />
    </FormFields>
  );
}

type TargetChangeProps = {
  selected: Selected;
  values: Pick<Values, "text" | "by" | "utm">;
  onChange(changed: Partial<Values>): void;
};

/** Changes targets by a part of them. */
function TargetChange({ selected, values: { text, by, utm }, onChange }: TargetChangeProps) {
  const { t } = useLingui();
  const [opened, setOpened] = useState<"replace" | "utm" | null>(null);
  const toggle = (part: "replace" | "utm") => () => setOpened(opened === part ? null : part);
  return (
    <>
      <Disclosure
        label={<Trans>Replace in the target</Trans>}
        summary={text}
        isOpen={opened === "replace"}
        onToggle={toggle("replace")}
      >
        <Stack gap="xs" pt="xs">
          <TextInput
            label={t`Text in the target`}
            placeholder="old.example.com"
            description={t`Only links whose target has it are changed.`}
            maxLength={MOST_TYPED}
            autoCapitalize="none"
            value={text}
            onChange={(event) => onChange({ text: event.currentTarget.value })}
          />
          <TextInput
            label={t`Replace with`}
            placeholder="new.example.com"
            maxLength={MOST_TYPED}
            autoCapitalize="none"
            value={by}
            onChange={(event) => onChange({ by: event.currentTarget.value })}
          />
          {text !== "" && <ReplacePreview selected={selected} text={text} by={by} />}
        </Stack>
      </Disclosure>
      <Disclosure
        label={<Trans>Campaign parameters (UTM)</Trans>}
        summary={Object.values(utm)
          .filter((value) => value !== "")
          .join(", ")}
        isOpen={opened === "utm"}
        onToggle={toggle("utm")}
      >
        <Stack gap="xs" pt="xs">
          <UtmFields values={utm} onChange={(changed) => onChange({ utm: { ...utm, ...changed } })} />
        </Stack>
      </Disclosure>
    </>
  );
}
