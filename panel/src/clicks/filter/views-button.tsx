import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Text } from "@mantine/core";
import { IconBookmark } from "@tabler/icons-react";
import { presetContentOf } from "../../presets/preset-queries.ts";
import { PresetsButton } from "../../presets/presets-button.tsx";
import classes from "../clicks.module.css";
import { type OnReportChange, readReportSearch, type ReportSearch } from "../range.ts";

type Props = { search: ReportSearch; onChange: OnReportChange };

/** Views of a report that were given names. */
export function ViewsButton({ search, onChange }: Props) {
  const { t } = useLingui();
  return (
    <PresetsButton
      kind="report"
      content={presetContentOf(search)}
      empty={t`Time and filters under a name, to come back to.`}
      onChoose={(content) => onChange(readReportSearch(content))}
      opener={(props) => (
        <Button px="xs" className={classes["control"]!} variant="default" {...props}>
          <IconBookmark size={16} aria-hidden />
          <Text span size="sm" ml={6}>
            <Trans>Views</Trans>
          </Text>
        </Button>
      )}
    />
  );
}
