import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Autocomplete, SegmentedControl, Select, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { FormFields } from "../../ui/forms/side-form.tsx";
import { useDraftForm } from "../../ui/forms/use-draft-form.tsx";
import { MOST_OWNERS, useOwners } from "../form/owners.ts";
import { hostsQuery } from "../form/domains.ts";
import { BULK_DRAFT, type BulkChange } from "./bulk-change.ts";
import { timeOfLocal } from "../list/local-time.ts";
import { countOfSelected, type Selected } from "../list/selection.ts";
import { TagsField } from "../tags-field.tsx";

type Props = { selected: Selected; onSave(change: BulkChange): void; onClose(): void };

type Values = {
  add: string[];
  remove: string[];
  expiry: string;
  expires: string;
  domain: string | null;
  owner: string;
};
const BLANK: Values = { add: [], remove: [], expiry: "keep", expires: "", domain: null, owner: "" };
const DEFAULT_DOMAIN = ":default";

export function BulkFields({ selected, onSave, onClose }: Props) {
  const { t } = useLingui();
  const { form, notice } = useDraftForm<Values>(BULK_DRAFT, BLANK);
  const { add, remove, expiry, expires, domain, owner } = form.values;
  const { data: domains = [] } = useQuery(hostsQuery);
  const owners = useOwners("change");
  const count = countOfSelected(selected);
  const isExpiring = expiry === "never" || (expiry === "at" && expires !== "");
  const isEmpty =
    add.length === 0 && remove.length === 0 && !isExpiring && domain === null && owner.trim() === "";

  function save(): void {
    onSave({
      add,
      remove,
      ...(isExpiring && { expires: expiry === "never" ? null : timeOfLocal(expires) }),
      ...(domain !== null && { domain: domain === DEFAULT_DOMAIN ? "" : domain }),
      ...(owner.trim() !== "" && { owner: owner.trim() }),
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
      <TagsField {...form.getInputProps("add")} label={t`Add tags`} data-autofocus />
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
      {owners.length > 1 && (
        <Autocomplete
          {...form.getInputProps("owner")}
          label={t`Owner`}
          placeholder={t`Keep`}
          data={owners}
          limit={MOST_OWNERS}
          maxLength={100}
          autoCapitalize="none"
          spellCheck={false}
        />
      )}
    </FormFields>
  );
}
