import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconFilter } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { formatNumber } from "../../base/i18n.ts";
import { useIsPhone } from "../is-phone.ts";
import { Sheet } from "./sheet.tsx";

/** The filters of a list; on phones in a sheet. `count`: how many are set. */
export function FilterSheet({ count, children }: { count: number; children: ReactNode }) {
  const { t } = useLingui();
  const [isOpen, { open, close }] = useDisclosure();
  if (!useIsPhone()) return children;
  return (
    <>
      <Button variant="default" px="xs" aria-haspopup="dialog" onClick={open}>
        <IconFilter size={16} aria-hidden />
        <Text span size="sm" ml={6}>
          <Trans>Filter</Trans>
        </Text>
        {count > 0 && (
          <Text span size="sm" ml={6} c="dimmed">
            {formatNumber(count)}
          </Text>
        )}
      </Button>
      <Sheet title={t`Filter`} isOpen={isOpen} onClose={close}>
        <Stack gap="sm">{children}</Stack>
      </Sheet>
    </>
  );
}
