import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Domain } from "../base/api.ts";
import { DocumentsField, type WrittenDocument } from "../ui/forms/documents-field.tsx";
import { domainQuery } from "./domain-queries.ts";

type Props = {
  domain: Domain | null;
  /** Null: they stay. */
  documents: WrittenDocument[] | null;
  onChange(documents: WrittenDocument[]): void;
  errorOf(at: number, field: keyof WrittenDocument): string | undefined;
};

/** The documents of a domain, whose texts are read when they are opened. */
export function DomainDocuments({ domain, documents, onChange, errorOf }: Props) {
  const { t } = useLingui();
  const count = domain?.well_known.length ?? 0;
  const [isOpen, setIsOpen] = useState(documents !== null);
  const { data, isPending, error } = useQuery({
    ...domainQuery(domain?.id ?? 0),
    enabled: isOpen && count > 0 && documents === null,
  });
  const stored = (data?.well_known ?? []).map(({ name, type, text = "" }) => ({ name, type, text }));
  const isLoading = documents === null && count > 0 && isPending;
  return (
    <Stack gap={4}>
      <Text size="sm" fw={500}>
        <Trans>Documents</Trans>
      </Text>
      <Text size="xs" c="dimmed">
        <Trans>
          What apps and services look for at this host, such as apple-app-site-association and
          assetlinks.json.
        </Trans>
      </Text>
      {!isOpen && (
        <Button
          size="compact-sm"
          variant="subtle"
          style={{ alignSelf: "start" }}
          onClick={() => setIsOpen(true)}
        >
          {count === 0 ? <Trans>Add documents</Trans> : <Trans>Edit documents ({count})</Trans>}
        </Button>
      )}
      {isOpen && error !== null && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {error.message}
        </Text>
      )}
      {isOpen && error === null && !isLoading && (
        <DocumentsField
          label={t`Documents`}
          documents={documents ?? stored}
          onChange={onChange}
          errorOf={errorOf}
        />
      )}
    </Stack>
  );
}
