import { Stack, Text } from "@mantine/core";
import { DocumentsField, type WrittenDocument } from "../ui/forms/documents-field.tsx";

export const DOCUMENTS = "features.well_known";

type Props = {
  label: string;
  /** JSON. */
  value: string;
  error: string | undefined;
  onChange(value: string): void;
  onLeave(): void;
};

/** The documents of the default domain. */
export function DocumentsSetting({ label, value, error, onChange, onLeave }: Props) {
  const change = (documents: WrittenDocument[]) =>
    onChange(
      JSON.stringify(documents.map(({ type, ...document }) => ({ ...document, ...(type && { type }) }))),
    );
  return (
    <Stack gap={4}>
      <DocumentsField label={label} documents={documentsIn(value)} onChange={change} onLeave={onLeave} />
      {error !== undefined && (
        <Text size="xs" c="var(--mantine-color-error)" role="alert">
          {error}
        </Text>
      )}
    </Stack>
  );
}

function documentsIn(text: string): WrittenDocument[] {
  try {
    const list = JSON.parse(text) as Partial<WrittenDocument>[];
    return list.map(({ name = "", type = "", text: content = "" }) => ({ name, type, text: content }));
  } catch {
    return [];
  }
}
