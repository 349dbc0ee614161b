import { Plural, useLingui } from "@lingui/react/macro";
import { Group, Pagination, Text } from "@mantine/core";

type Props = {
  of: { page: number; page_size: number; total: number; total_pages: number } | undefined;
  onPage(page: number): void;
};

/** The pages of a list; nothing for one page. */
export function Pages({ of, onPage }: Props) {
  const { t } = useLingui();
  if (of === undefined || of.total_pages <= 1) return null;
  return (
    <Group justify="space-between" component="nav" aria-label={t`Pages of the list`}>
      <Text size="sm" c="dimmed" role="status">
        <Plural value={of.total} one="# entry" other="# entries" />
      </Text>
      <Pagination
        total={of.total_pages}
        value={of.page}
        onChange={onPage}
        getControlProps={(control) => ({
          "aria-label": control === "previous" ? t`The page before` : t`The next page`,
        })}
        getItemProps={(page) => ({ "aria-label": t`Page ${page}` })}
      />
    </Group>
  );
}
