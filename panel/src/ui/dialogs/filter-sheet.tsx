import { useLingui } from "@lingui/react/macro";
import { Button, Stack } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { ReactNode } from "react";
import { FilterLabel } from "../filter-label.tsx";
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
        <FilterLabel count={count} />
      </Button>
      <Sheet title={t`Filter`} isOpen={isOpen} onClose={close}>
        <Stack gap="sm">{children}</Stack>
      </Sheet>
    </>
  );
}
