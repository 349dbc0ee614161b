import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Alert, SegmentedControl, Select, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { accountQuery } from "../../auth/account.ts";
import { FormFields } from "../../ui/side-form.tsx";
import { domainsQuery } from "../form/domains.ts";
import { canUndo } from "./bulk.tsx";
import type { BulkChange } from "./bulk-work.ts";
import { timeOfLocal } from "../list/local-time.ts";
import { countOfSelected, type Selected } from "../list/selection.ts";
import { TagsField } from "../list/tags-field.tsx";

type Props = { selected: Selected; onSave(change: BulkChange): void; onClose(): void };

const DEFAULT_DOMAIN = ":default";

export function BulkFields({ selected, onSave, onClose }: Props) {
  const { t } = useLingui();
  const [add, setAdd] = useState<string[]>([]);
  const [remove, setRemove] = useState<string[]>([]);
  const [expiry, setExpiry] = useState("keep");
  const [expires, setExpires] = useState("");
  const [domain, setDomain] = useState<string | null>(null);
  const { data: account } = useQuery(accountQuery);
  const { data: domains = [] } = useQuery({ ...domainsQuery, enabled: account?.role === "admin" });
  const count = countOfSelected(selected);
  const isByName = canUndo(selected);
  const isExpiring = expiry === "never" || (expiry === "at" && expires !== "");
  const isEmpty = add.length === 0 && remove.length === 0 && !isExpiring && domain === null;

  function save(event: FormEvent): void {
    event.preventDefault();
    onSave({
      add,
      remove,
      ...(isExpiring && { expires: expiry === "never" ? null : timeOfLocal(expires) }),
      ...(domain !== null && { domain: domain === DEFAULT_DOMAIN ? "" : domain }),
    });
  }

  return (
    <FormFields
      onSubmit={save}
      onClose={onClose}
      error={null}
      isPending={false}
      isRefused={isEmpty}
      action={t`Change`}
    >
      <Text size="sm" c="dimmed">
        <Plural value={count} one="# link is selected." other="# links are selected." />
      </Text>
      <TagsField label={t`Add tags`} value={add} onChange={setAdd} data-autofocus />
      <TagsField label={t`Remove tags`} value={remove} onChange={setRemove} />
      <Stack gap={4}>
        <Text size="sm" fw={500}>
          <Trans>Expires</Trans>
        </Text>
        <SegmentedControl
          aria-label={t`Expires`}
          value={expiry}
          onChange={setExpiry}
          data={[
            { value: "keep", label: t`Keep` },
            { value: "never", label: t`Never` },
            { value: "at", label: t`On a day` },
          ]}
        />
        {expiry === "at" && (
          <TextInput
            type="datetime-local"
            aria-label={t`Expires on`}
            required
            value={expires}
            onChange={(event) => setExpires(event.currentTarget.value)}
          />
        )}
      </Stack>
      {isByName && domains.length > 0 && (
        <Select
          label={t`Domain`}
          clearable
          placeholder={t`Keep`}
          value={domain}
          onChange={setDomain}
          data={[{ value: DEFAULT_DOMAIN, label: t`The default domain` }, ...domains.map(({ host }) => host)]}
        />
      )}
      {!isByName && (
        <Alert color="yellow" variant="light">
          <Trans>So many links can't be changed back in one step. Each keeps its history.</Trans>
        </Alert>
      )}
    </FormFields>
  );
}
