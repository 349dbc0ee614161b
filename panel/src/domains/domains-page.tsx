import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { IconPlus } from "@tabler/icons-react";
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answerOf, api, ApiError, type Domain } from "../app/api.ts";
import { ConfirmButton } from "../ui/confirm-button.tsx";
import { DataList } from "../ui/data-list.tsx";
import { PageHead } from "../ui/page-head.tsx";
import { fieldErrors, FormFields, SideForm } from "../ui/side-form.tsx";

const domainsQuery = queryOptions({
  queryKey: ["domains"],
  queryFn: async ({ signal }) => (await answerOf(api.GET("/admin/v1/domains", { signal }))).data,
});

export function DomainsPage() {
  const { t } = useLingui();
  const [edited, setEdited] = useState<Domain | "new" | null>(null);
  const { data, error, refetch } = useQuery(domainsQuery);
  return (
    <Stack p="md" gap="md">
      <PageHead
        title={t`Domains`}
        sentence={t`Hosts with links of their own. All other hosts show the default links.`}
      >
        <Button leftSection={<IconPlus size={16} />} onClick={() => setEdited("new")}>
          <Trans>New domain</Trans>
        </Button>
      </PageHead>
      <DataList<Domain>
        label={t`Domains`}
        items={data}
        error={error}
        onRetry={() => void refetch()}
        keyOf={({ id }) => id}
        empty={<Trans>There is only the default domain.</Trans>}
        columns={[
          {
            title: t`Host`,
            cell: ({ host }) => (
              <Text size="sm" fw={600}>
                {host}
              </Text>
            ),
          },
          { title: t`Root leads to`, isHidden: "narrow", cell: ({ default_url: url }) => url ?? "–" },
          {
            title: t`Unknown codes lead to`,
            isHidden: "narrow",
            cell: ({ not_found_url: url }) => url ?? "–",
          },
          {
            title: t`Actions`,
            cell: (domain) => (
              <Group gap={4} wrap="nowrap">
                <Button size="compact-sm" variant="subtle" onClick={() => setEdited(domain)}>
                  <Trans>Edit</Trans>
                </Button>
                <Remove domain={domain} />
              </Group>
            ),
          },
        ]}
      />
      <SideForm
        title={edited === "new" || edited === null ? t`New domain` : t`Edit ${edited.host}`}
        isOpen={edited !== null}
        onClose={() => setEdited(null)}
      >
        {edited !== null && (
          <DomainFields domain={edited === "new" ? null : edited} onClose={() => setEdited(null)} />
        )}
      </SideForm>
    </Stack>
  );
}

function Remove({ domain }: { domain: Domain }) {
  const { t } = useLingui();
  return (
    <ConfirmButton
      label={t`Delete`}
      question={t`Requests for ${domain.host} then get the default links.`}
      list="domains"
      run={() => answerOf(api.DELETE("/admin/v1/domains/{id}", { params: { path: { id: domain.id } } }))}
    />
  );
}

function DomainFields({ domain, onClose }: { domain: Domain | null; onClose(): void }) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const form = useForm({
    initialValues: {
      host: domain?.host ?? "",
      default_url: domain?.default_url ?? "",
      not_found_url: domain?.not_found_url ?? "",
      expired_url: domain?.expired_url ?? "",
    },
  });
  const save = useMutation({
    async mutationFn(body: typeof form.values) {
      if (domain === null) await answerOf(api.POST("/admin/v1/domains", { body }));
      else await answerOf(api.PATCH("/admin/v1/domains/{id}", { params: { path: { id: domain.id } }, body }));
    },
    async onSuccess() {
      onClose();
      await queries.invalidateQueries({ queryKey: ["domains"] });
    },
    onError(error) {
      if (error instanceof ApiError) form.setErrors(fieldErrors(error.details));
    },
  });
  return (
    <FormFields
      onSubmit={form.onSubmit((values) => save.mutate(values))}
      onClose={onClose}
      error={save.error}
      isPending={save.isPending}
      action={domain === null ? t`Create` : t`Save`}
    >
      <TextInput
        {...form.getInputProps("host")}
        label={t`Host`}
        placeholder="go.example.com"
        required
        withAsterisk={false}
        data-autofocus
      />
      <TextInput
        {...form.getInputProps("default_url")}
        label={t`Root leads to`}
        placeholder="https://"
        type="url"
      />
      <TextInput
        {...form.getInputProps("not_found_url")}
        label={t`Unknown codes lead to`}
        placeholder="https://"
        type="url"
      />
      <TextInput
        {...form.getInputProps("expired_url")}
        label={t`Expired links lead to`}
        placeholder="https://"
        type="url"
      />
    </FormFields>
  );
}
