import { useLingui } from "@lingui/react/macro";
import { ActionIcon } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { downloadAddress, type Entry } from "../file-queries.ts";

/** Browsers start several downloads of a page only with a pause between them. */
const PAUSE_MS = 400;

async function download(entries: readonly Entry[]): Promise<void> {
  for (const entry of entries) {
    const link = document.createElement("a");
    link.href = downloadAddress(entry);
    link.download = "";
    document.body.append(link);
    link.click();
    link.remove();
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** Files one by one, folders as ZIP files. */
export function DownloadButton({ entries }: { entries: readonly Entry[] }) {
  const { t } = useLingui();
  return (
    <ActionIcon
      variant="subtle"
      size="lg"
      aria-label={t`Download`}
      title={t`Download`}
      onClick={() => void download(entries)}
    >
      <IconDownload size={18} />
    </ActionIcon>
  );
}
