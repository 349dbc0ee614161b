import { Trans, useLingui } from "@lingui/react/macro";
import { Code, Switch, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { accountQuery } from "../auth/account.ts";
import { OwnerField } from "../auth/teams/owner-field.tsx";
import { ApiError, type Domain } from "../base/api.ts";
import { useLateResponse } from "../ui/notices/late-answer.ts";
import { fieldErrors, FormFields } from "../ui/forms/side-form.tsx";
import { useDraftForm } from "../ui/forms/use-draft-form.tsx";
import type { WrittenDocument } from "../ui/forms/documents-field.tsx";
import { DomainDocuments } from "./domain-documents.tsx";
import { saveDomain } from "./domain-queries.ts";

type Props = { domain: Domain | null; onClose(): void };

export function DomainForm({ domain, onClose }: Props) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const { form, notice, forget } = useDraftForm(domain === null ? "new domain" : `domain ${domain.id}`, {
    host: domain?.host ?? "",
    default_url: domain?.default_url ?? "",
    not_found_url: domain?.not_found_url ?? "",
    expired_url: domain?.expired_url ?? "",
    ignore_case: domain?.ignore_case ?? false,
    owner: domain?.owner ?? "",
    well_known: null as WrittenDocument[] | null,
  });
  const { data: account } = useQuery(accountQuery);
  const isAdmin = account?.role === "admin";
  const { close, tellIfGone } = useLateResponse(onClose);
  const save = useMutation({
    mutationFn: ({ well_known: documents, ...body }: typeof form.values) =>
      saveDomain(domain, { ...body, ...(documents !== null && { well_known: documents }) }),
    async onSuccess() {
      forget();
      close();
      await queries.invalidateQueries({ queryKey: ["domains"] });
    },
    onError(error) {
      tellIfGone(error);
      if (error instanceof ApiError) form.setErrors(fieldErrors(error.details));
    },
  });
  const url = { placeholder: "https://", spellCheck: false, autoCapitalize: "none" } as const;
  return (
    <FormFields
      onSubmit={form.onSubmit((values) => save.mutate(values))}
      onClose={onClose}
      error={save.error}
      isPending={save.isPending}
      action={domain === null ? t`Create` : t`Save`}
    >
      {notice}
      <TextInput
        {...form.getInputProps("host")}
        label={t`Host`}
        description={t`Without https:// and without a path. Links follow a new host.`}
        placeholder="go.example.com"
        required
        withAsterisk={false}
        spellCheck={false}
        autoCapitalize="none"
        readOnly={!isAdmin}
        data-autofocus
      />
      {isAdmin && <DnsHint host={form.values.host.trim()} />}
      <TextInput
        {...form.getInputProps("default_url")}
        {...url}
        label={t`Root leads to`}
        description={t`Where the host without a code leads. Empty: 404.`}
      />
      <TextInput
        {...form.getInputProps("not_found_url")}
        {...url}
        label={t`Unknown codes lead to`}
        description={t`On another host. Empty: 404.`}
      />
      <TextInput
        {...form.getInputProps("expired_url")}
        {...url}
        label={t`Expired links lead to`}
        description={t`On another host. Empty: as for unknown codes.`}
      />
      <Switch
        {...form.getInputProps("ignore_case", { type: "checkbox" })}
        label={t`Ignore upper and lower case in codes`}
        description={t`/Sale and /SALE then lead to the same link. Codes are stored in lower case, and stay so when this is turned off.`}
        disabled={!isAdmin}
      />
      <OwnerField
        {...form.getInputProps("owner")}
        value={form.values.owner}
        label={t`Owner`}
        description={t`An account, or a team whose editors alone make links on it. Empty: it is open to all.`}
        placeholder={t`Anyone`}
      />
      <DomainDocuments
        domain={domain}
        documents={form.values.well_known}
        onChange={(documents) => form.setFieldValue("well_known", documents)}
        errorOf={(at, field) => {
          const error = form.errors[`well_known.${at}.${field}`];
          return typeof error === "string" ? error : undefined;
        }}
      />
    </FormFields>
  );
}

/** What has to be done outside Waymark. */
function DnsHint({ host }: { host: string }) {
  const name = host === "" ? "go.example.com" : host;
  return (
    <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
      <Trans>
        In the DNS, {name} needs a record (A, AAAA or CNAME) that leads to this server, such as{" "}
        <Code>
          {name}. CNAME {location.hostname}.
        </Code>{" "}
        A proxy in front needs a certificate for it and passes the Host header on.
      </Trans>
    </Text>
  );
}
