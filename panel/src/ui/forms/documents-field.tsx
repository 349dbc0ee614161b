import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Group, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";

export type WrittenDocument = { name: string; type: string; text: string };

type Props = {
  label: string;
  documents: readonly WrittenDocument[];
  onChange(documents: WrittenDocument[]): void;
  onLeave?(): void;
  errorOf?(at: number, field: keyof WrittenDocument): string | undefined;
};

const MOST = 16;
const PLAIN = { spellCheck: false, autoCapitalize: "none", autoComplete: "off" } as const;

/** What a host answers with at `/.well-known/`, one name, type and text a document. */
export function DocumentsField({ label, documents, onChange, onLeave, errorOf }: Props) {
  const { t } = useLingui();
  const set = (at: number, change: Partial<WrittenDocument>) =>
    onChange(documents.map((document, place) => (place === at ? { ...document, ...change } : document)));
  const shared = (at: number, field: keyof WrittenDocument) => {
    const document = documents[at]!;
    return {
      value: document[field],
      onChange: (event: { currentTarget: { value: string } }) =>
        set(at, { [field]: event.currentTarget.value }),
      onBlur: onLeave,
      error: errorOf?.(at, field),
      ...PLAIN,
    };
  };
  return (
    <Stack gap="md" role="group" aria-label={label}>
      {documents.map((document, at) => (
        // Names change while they are typed.
        // oxlint-disable-next-line react/no-array-index-key
        <Stack key={at} gap={6}>
          <Group gap="xs" align="start" grow>
            <TextInput {...shared(at, "name")} size="sm" label={t`Name`} placeholder="assetlinks.json" />
            <TextInput
              {...shared(at, "type")}
              size="sm"
              label={t`Type`}
              placeholder={document.name.endsWith(".json") ? "application/json" : t`By the name`}
            />
          </Group>
          <Textarea
            {...shared(at, "text")}
            size="sm"
            label={t`Text`}
            autosize
            minRows={3}
            maxRows={12}
            styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
          />
          <Group justify="space-between">
            <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
              /.well-known/{document.name}
            </Text>
            <Button
              size="compact-xs"
              variant="subtle"
              color="gray"
              aria-label={t`Remove the document ${document.name}`}
              onClick={() => onChange(documents.filter((_document, place) => place !== at))}
            >
              <Trans>Remove</Trans>
            </Button>
          </Group>
        </Stack>
      ))}
      {documents.length < MOST && (
        <Button
          size="xs"
          variant="default"
          style={{ alignSelf: "start" }}
          leftSection={<IconPlus size={14} />}
          onClick={() => onChange([...documents, { name: "", type: "", text: "" }])}
        >
          <Trans>Add document</Trans>
        </Button>
      )}
    </Stack>
  );
}
