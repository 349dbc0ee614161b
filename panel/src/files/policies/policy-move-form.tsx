import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Select, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Policy } from "../../base/api.ts";
import { formatBytes } from "../../base/i18n.ts";
import { BytesField } from "../../ui/forms/bytes-field.tsx";
import { FormFields } from "../../ui/forms/side-form.tsx";
import {
  policyMoveQuery,
  policiesQuery,
  policyUsageQuery,
  refreshPolicies,
  startMove,
} from "./policy-queries.ts";

/** Moves all content of a storage to another one. */
export function PolicyMoveForm({ policy, onClose }: { policy: Policy; onClose(): void }) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const { data: policies } = useQuery(policiesQuery);
  const { data: usage } = useQuery(policyUsageQuery(policy));
  const targets = (policies ?? []).filter(
    ({ id, driver_type: type }) => id !== policy.id && type !== "linked",
  );
  const [chosen, setChosen] = useState<string | null>(null);
  const [rate, setRate] = useState<number | null>(null);
  const size = formatBytes(usage?.bytes ?? 0);
  const to = chosen ?? (targets.length === 1 ? String(targets[0]!.id) : null);
  const start = useMutation({
    mutationFn: () => startMove(policy, { to: Number(to), rate: rate ?? 0 }),
    async onSuccess() {
      onClose();
      await refreshPolicies(queries);
      await queries.invalidateQueries(policyMoveQuery(policy));
    },
  });
  return (
    <FormFields
      onSubmit={(event) => {
        event.preventDefault();
        if (to !== null) start.mutate();
      }}
      onClose={onClose}
      error={start.error}
      isPending={start.isPending}
      action={t`Move`}
    >
      <Text size="sm" c="dimmed">
        <Trans>
          Uploads and downloads keep working, and new files go to the other storage right away. Every copy is
          checked before it is used. You can stop at any time.
        </Trans>
      </Text>
      {usage !== undefined && (
        <Text size="sm">
          <Plural
            value={usage.objects}
            one={`# object with ${size} will move.`}
            other={`# objects with ${size} will move.`}
          />
        </Text>
      )}
      <Select
        label={t`Move to`}
        data={targets.map(({ id, name }) => ({ value: String(id), label: name }))}
        value={to}
        onChange={setChosen}
        allowDeselect={false}
        required
        withAsterisk={false}
        nothingFoundMessage={t`Make another storage first.`}
        data-autofocus
      />
      <BytesField
        label={t`Speed limit per second`}
        value={rate}
        placeholder={t`Unlimited`}
        onChange={setRate}
      />
    </FormFields>
  );
}
