import { useLingui } from "@lingui/react/macro";
import { ActionIcon, Group, ScrollArea, Skeleton, Text } from "@mantine/core";
import { IconFile, IconFolder, IconX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { itemsQuery } from "../share-queries.ts";
import type { SharedItem } from "../share-search.ts";
import type { ShareValues } from "./share-values.ts";

type Props = {
  /** Null: a new share. */
  code: string | null;
  /** Null: those of the share. */
  items: readonly SharedItem[] | null;
  /** The last one can be taken out. */
  canBeEmpty?: boolean;
  onChange(next: Partial<ShareValues>): void;
};

/** Files and folders that are one share. */
export function ItemsField({ code, items, canBeEmpty = false, onChange }: Props) {
  const { t } = useLingui();
  const { data } = useQuery({ ...itemsQuery(code ?? ""), enabled: code !== null && items === null });
  const shown = items ?? data;
  const takeOut = (name: string): string => t`Take ${name} out of the share`;
  if (shown === undefined) return <Skeleton height={72} />;
  return (
    <ScrollArea.Autosize mah={220} type="auto" tabIndex={0} role="group" aria-label={t`Several items`}>
      {shown.map((item) => (
        <Group key={`${item.kind} ${item.id}`} gap="xs" wrap="nowrap" mih={36}>
          {item.kind === "folder" ? <IconFolder size={16} aria-hidden /> : <IconFile size={16} aria-hidden />}
          <Text size="sm" truncate flex={1} title={item.name}>
            <bdi>{item.name}</bdi>
          </Text>
          {(canBeEmpty || shown.length > 1) && (
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={takeOut(item.name)}
              onClick={() => onChange({ items: shown.filter((other) => other !== item) })}
            >
              <IconX size={14} />
            </ActionIcon>
          )}
        </Group>
      ))}
    </ScrollArea.Autosize>
  );
}
