import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { SegmentedControl, Select, Stack, Text, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { OwnerField } from "../../auth/teams/owner-field.tsx";
import { useOwners } from "../../auth/teams/owners.ts";
import { Disclosure } from "../../ui/disclosure.tsx";
import { FormFields } from "../../ui/forms/side-form.tsx";
import { useDraftForm } from "../../ui/forms/use-draft-form.tsx";
import { hostsQuery } from "../form/domains.ts";
import { BULK_DRAFT, type BulkLead, type LinksChange } from "./bulk-change.ts";
import { timeOfLocal } from "../list/local-time.ts";
import { countOfSelected, type Selected } from "../list/selection.ts";
import { UtmFields, type UtmValues } from "../form/utm-fields.tsx";
import { TagsField } from "../tags-field.tsx";
import { ReplacePreview } from "./replace-preview.tsx";

type Props = {
  selected: Selected;
  lead: BulkLead;
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
/** What opens is not shown before the next frame. */
const focusShown = (input: HTMLInputElement | null): void => void requestAnimationFrame(() => input?.focus());
const DEFAULT_DOMAIN = ":default";
/** Characters. */
const MOST_TYPED = 2_000;

/** Null: it changes nothing. */
function changeOf({
  add,
  remove,
  expiry,
  expires,
  domain,
  owner,
  text,
  by,
  utm,
}: Values): LinksChange | null {
  const campaign = Object.fromEntries(Object.entries(utm).filter(([, value]) => value !== ""));
  const isExpiring = expiry === "never" || (expiry === "at" && expires !== "");
  const some = {
    ...(isExpiring && { expires: expiry === "never" ? null : timeOfLocal(expires) }),
    ...(domain !== null && { domain: domain === DEFAULT_DOMAIN ? "" : domain }),
    ...(owner.trim() !== "" && { owner: owner.trim() }),
    ...(text !== "" && { replace: { text, by } }),
    ...(Object.keys(campaign).length > 0 && { utm: campaign }),
  };
  return [...add, ...remove, ...Object.keys(some)].length === 0 ? null : { add, remove, ...some };
}

export function BulkFields({ selected, lead, onSave, onClose }: Props) {
  const { t } = useLingui();
  const { form, notice } = useDraftForm<Values>(BULK_DRAFT, BLANK);
  const { values } = form;
  // A draft may hold more than the form begins with.
  const led = lead === "owner" ? { owner: "" } : { text: "", utm: {} };
  const [isWhole, setIsWhole] = useState(changeOf({ ...values, ...led }) !== null);
  const { data: domains = [] } = useQuery(hostsQuery);
  const owners = useOwners("change");
  const count = countOfSelected(selected);
  const change = changeOf(values);
  const owner = (owners.length > 1 || lead === "owner") && (
    <OwnerField
      {...form.getInputProps("owner")}
      {...(lead === "owner" && AUTOFOCUS)}
      value={values.owner}
      label={t`Owner`}
      placeholder={lead === "owner" ? t`Name` : t`Keep`}
    />
  );
  const target = (
    <TargetChange
      selected={selected}
      isLead={lead === "target"}
      values={values}
      onChange={(changed) => form.setValues({ ...values, ...changed })}
    />
  );
  const others = (
    <>
      <TagsField {...form.getInputProps("add")} label={t`Add tags`} {...(lead === null && AUTOFOCUS)} />
      <TagsField {...form.getInputProps("remove")} label={t`Remove tags`} />
      <ExpiryChange form={form} />
      {domains.length > 0 && (
        <Select
          {...form.getInputProps("domain")}
          label={t`Domain`}
          clearable
          placeholder={t`Keep`}
          data={[{ value: DEFAULT_DOMAIN, label: t`The default domain` }, ...domains.map(({ host }) => host)]}
        />
      )}
      {lead !== "owner" && owner}
      {lead !== "target" && target}
    </>
  );
  return (
    <FormFields
      onSubmit={form.onSubmit(() => void (change !== null && onSave(change)))}
      onClose={onClose}
      error={null}
      isPending={false}
      isRefused={change === null}
      action={lead === "owner" ? t`Hand over links` : t`Change`}
    >
      <Text size="sm" c="dimmed">
        <Plural value={count} one="# link is selected." other="# links are selected." />
      </Text>
      {notice}
      {lead === "owner" && owner}
      {lead === "target" && target}
      {lead === null ? (
        others
      ) : (
        <Disclosure
          label={<Trans>Other changes</Trans>}
          isOpen={isWhole}
          onToggle={() => setIsWhole((is) => !is)}
        >
          <Stack gap="sm" pt="xs">
            {others}
          </Stack>
        </Disclosure>
      )}
    </FormFields>
  );
}

function ExpiryChange({ form }: { form: UseFormReturnType<Values> }) {
  const { t } = useLingui();
  return (
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
      {form.values.expiry === "at" && (
        <TextInput
          {...form.getInputProps("expires")}
          type="datetime-local"
          aria-label={t`Expires on`}
          required
        />
      )}
    </Stack>
  );
}

type TargetChangeProps = {
  selected: Selected;
  /** The form begins here. */
  isLead: boolean;
  values: Pick<Values, "text" | "by" | "utm">;
  onChange(changed: Partial<Values>): void;
};

/** Changes targets by a part of them. */
function TargetChange({ selected, isLead, values: { text, by, utm }, onChange }: TargetChangeProps) {
  const { t } = useLingui();
  const [opened, setOpened] = useState<"replace" | "utm" | null>(isLead ? "replace" : null);
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
            {...(isLead && AUTOFOCUS)}
            ref={focusShown}
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
