import { Trans, useLingui } from "@lingui/react/macro";
import { Group, Text } from "@mantine/core";
import { IconChevronRight } from "@tabler/icons-react";
import { AnchorLink } from "../ui/anchor-link.tsx";

/** Where a page below the list of shares is. */
export function SharePath({ name }: { name: string }) {
  const { t } = useLingui();
  return (
    <Group gap={4} component="nav" aria-label={t`Breadcrumb`} wrap="nowrap" c="dimmed" mb={-8}>
      <AnchorLink to="/shares" search={{}} size="sm" c="dimmed">
        <Trans>Shares</Trans>
      </AnchorLink>
      <IconChevronRight size={14} aria-hidden style={{ flex: "none" }} />
      <Text span size="sm" truncate dir="auto" aria-current="page">
        {name}
      </Text>
    </Group>
  );
}
