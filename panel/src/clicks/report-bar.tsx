import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Group, Stack } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconAdjustmentsHorizontal } from "@tabler/icons-react";
import type { ComponentProps } from "react";
import { useIsPhone } from "../ui/is-phone.ts";
import { Sheet } from "../ui/dialogs/sheet.tsx";
import classes from "./clicks.module.css";
import { rangeName } from "./range-names.ts";
import { ReportControls, useVisitorNames } from "./report-controls.tsx";

type Props = ComponentProps<typeof ReportControls> & {
  /** Much stands after the button, which takes a line of its own on phones. */
  isWide?: boolean;
};

/** The fields of a report. On phones one button says what they are set to, and opens them. */
export function ReportBar({ children, isWide = false, ...props }: Props) {
  const { t } = useLingui();
  const isPhone = useIsPhone();
  const [isOpen, { open, close }] = useDisclosure();
  const names = useVisitorNames();
  if (!isPhone) return <ReportControls {...props}>{children}</ReportControls>;
  const { search, without = [] } = props;
  const { visitors = "human" } = search;
  const isShort = without.includes("visitors");
  const said = [rangeName(search), ...(isShort ? [] : [names[visitors]])].join(" · ");
  return (
    <Group gap="xs" miw={0} flex={isShort ? undefined : "1 0 100%"}>
      <Button
        variant="default"
        // What has no room beside it goes below.
        flex={isWide ? "1 0 100%" : "1 1 11rem"}
        miw={0}
        h="auto"
        py={2}
        className={`${classes["control"]} ${classes["summary"]}`}
        justify="space-between"
        // Long names take two lines.
        styles={{ label: { whiteSpace: "normal", textAlign: "start", lineHeight: 1.2 } }}
        rightSection={<IconAdjustmentsHorizontal size={18} aria-hidden />}
        aria-haspopup="dialog"
        aria-label={`${t`Time and visitors`}: ${said}`}
        onClick={open}
      >
        {said}
      </Button>
      {children}
      <Sheet title={t`Time and visitors`} isOpen={isOpen} onClose={close}>
        <Stack gap="sm">
          <ReportControls {...props} isLabelled />
          <Button onClick={close}>
            <Trans>Done</Trans>
          </Button>
        </Stack>
      </Sheet>
    </Group>
  );
}
