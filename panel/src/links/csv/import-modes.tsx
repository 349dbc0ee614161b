import { useLingui } from "@lingui/react/macro";
import { Radio, Stack } from "@mantine/core";
import { chooseMode, type ImportMode, useImport } from "./import-state.ts";

/** What to do with codes that exist. */
export function ImportModes() {
  const { t } = useLingui();
  const { mode } = useImport();
  const modes: Record<ImportMode, { label: string; does: string }> = {
    skip: { label: t`Skip them`, does: t`Links that exist stay as they are.` },
    overwrite: {
      label: t`Overwrite them`,
      does: t`Columns that are taken replace what the link has, also the clicks. Without their columns expiry and password are cleared; everything else stays.`,
    },
    error: { label: t`Report them`, does: t`Rows with such codes count as failed.` },
  };
  return (
    <Radio.Group
      label={t`Codes that exist already`}
      value={mode}
      onChange={(chosen) => chooseMode(chosen as ImportMode)}
    >
      <Stack gap="xs" pt={6}>
        {Object.entries(modes).map(([value, { label, does }]) => (
          <Radio key={value} value={value} label={label} description={does} />
        ))}
      </Stack>
    </Radio.Group>
  );
}
