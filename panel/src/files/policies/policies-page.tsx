import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Skeleton, Stack } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Policy } from "../../base/api.ts";
import { lazyOrFailure } from "../../base/lazy.ts";
import { LoadFailure } from "../../ui/load-failure.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { SideForm } from "../../ui/forms/side-form.tsx";
import { PolicyCard } from "./policy-card.tsx";
import { policiesQuery } from "./policy-queries.ts";

const PolicyForm = lazyOrFailure(async () => (await import("./policy-form.tsx")).PolicyForm);

export function PoliciesPage() {
  const { t } = useLingui();
  const { data, error, refetch } = useQuery(policiesQuery);
  const [edited, setEdited] = useState<Policy | "new" | null>(null);
  const [made, setMade] = useState<number | null>(null);
  return (
    <Stack p="md" gap="md" maw={1120}>
      <PageHead
        title={t`Storage`}
        sentence={t`Where files are stored. A folder can name a storage of its own; all others use the default.`}
      >
        <Button leftSection={<IconPlus size={16} />} onClick={() => setEdited("new")}>
          <Trans>New storage</Trans>
        </Button>
      </PageHead>
      {error !== null && data === undefined && <LoadFailure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton height={150} />}
      {data?.map((policy) => (
        <PolicyCard
          key={policy.id}
          policy={policy}
          isNew={policy.id === made}
          onEdit={() => setEdited(policy)}
        />
      ))}
      <SideForm
        title={edited === "new" || edited === null ? t`New storage` : t`Edit ${edited.name}`}
        isOpen={edited !== null}
        onClose={() => setEdited(null)}
      >
        {edited !== null && (
          <PolicyForm
            policy={edited === "new" ? null : edited}
            onClose={() => setEdited(null)}
            onSaved={({ id }) => setMade(id)}
          />
        )}
      </SideForm>
    </Stack>
  );
}
