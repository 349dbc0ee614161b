import { Plural, Trans } from "@lingui/react/macro";
import { Stack, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { FailureAlert } from "../../ui/failure-alert.tsx";
import type { Selected } from "../list/selection.ts";
import { replaceable } from "./found-run.ts";

type Props = { selected: Selected; text: string; by: string };

const TYPING_MS = 250;

/** How many of the selected targets have the text, and what becomes of the first. */
export function ReplacePreview({ selected, text, by }: Props) {
  const [typed] = useDebouncedValue(text, TYPING_MS);
  const { data, error } = useQuery({
    queryKey: [
      "links",
      "replaceable",
      selected.kind === "all" ? selected.finding : [...selected.links.keys()],
      typed,
    ],
    queryFn: ({ signal }) => replaceable(selected, typed, signal),
    enabled: typed !== "",
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  if (error !== null) return <FailureAlert error={error} />;
  if (data === undefined) return null;
  const { matched, example } = data;
  return (
    <Stack gap={2} aria-live="polite">
      <Text size="sm" fw={600}>
        <Plural
          value={matched}
          _0="None of the selected targets has this text."
          one="# of the selected targets has this text."
          other="# of the selected targets have this text."
        />
      </Text>
      {example !== undefined && (
        <>
          <Text size="xs" c="dimmed">
            <Trans>For example:</Trans>
          </Text>
          <Text size="xs" style={{ overflowWrap: "anywhere" }}>
            <del>{example}</del> → <ins>{example.replaceAll(typed, () => by)}</ins>
          </Text>
        </>
      )}
    </Stack>
  );
}
