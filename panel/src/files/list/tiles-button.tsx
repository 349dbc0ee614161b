import { useLingui } from "@lingui/react/macro";
import { ActionIcon } from "@mantine/core";
import { IconLayoutGrid } from "@tabler/icons-react";

export function TilesButton({ isTiled, onChange }: { isTiled: boolean; onChange(isTiled: boolean): void }) {
  const { t } = useLingui();
  return (
    <ActionIcon
      variant={isTiled ? "light" : "default"}
      size={36}
      aria-pressed={isTiled}
      aria-label={t`Show as tiles`}
      title={t`Show as tiles`}
      onClick={() => onChange(!isTiled)}
    >
      <IconLayoutGrid size={18} />
    </ActionIcon>
  );
}
