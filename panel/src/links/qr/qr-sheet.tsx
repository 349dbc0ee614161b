import { Trans, useLingui } from "@lingui/react/macro";
import { Alert, Button, Group, SegmentedControl, Skeleton, Stack, Text } from "@mantine/core";
import { IconDownload, IconPrinter } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { createPortal } from "react-dom";
import type { Link } from "../../base/api.ts";
import { zipOf } from "../../base/zip.ts";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { useSentence } from "../../ui/failure.tsx";
import { useDraft } from "../../ui/forms/use-draft.tsx";
import { saveBlob } from "../csv/save-blob.ts";
import { PLAIN_LOOK, type QrLook } from "./qr-look.ts";
import { qrSvg } from "./qr-picture.ts";
import { ReachWarning } from "./reach-warning.tsx";
import classes from "./qr-sheet.module.css";

type Drawn = { link: Link; svg: string };
type Props = { links: readonly Link[]; onClose(): void };

const IN_A_ROW = ["2", "3", "4", "6"];
const AT_ONCE = 4;

/** The QR codes of links in the look that was chosen last: a sheet to print, or a ZIP of pictures. */
export function QrSheetDialog({ links, onClose }: Props) {
  const { t } = useLingui();
  return (
    <Dialog title={t`QR codes`} isOpen onClose={onClose} size="lg">
      <Sheet links={links} />
    </Dialog>
  );
}

function Sheet({ links }: Pick<Props, "links">) {
  const { t } = useLingui();
  const sentenceOf = useSentence();
  const [columns, setColumns] = useState("3");
  const { start } = useDraft<QrLook & { logo: string | null }>("qr", { ...PLAIN_LOOK, logo: null });
  const { data, error } = useQuery({
    queryKey: ["links", "qr-sheet", links.map(({ id }) => id), start],
    queryFn: ({ signal }) => drawAll(links, { ...PLAIN_LOOK, ...start }, signal),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const codes = data && <Codes drawn={data} columns={columns} />;
  return (
    <Stack gap="md">
      <Group justify="space-between" gap="xs">
        <Text size="sm" id="qr-columns">
          <Trans>Codes in a row</Trans>
        </Text>
        <SegmentedControl
          aria-labelledby="qr-columns"
          size="xs"
          value={columns}
          onChange={setColumns}
          data={IN_A_ROW}
        />
      </Group>
      {error === null ? (
        <div className={classes["preview"]} role="region" aria-label={t`Sheet`} tabIndex={0}>
          {codes ?? <Skeleton height={240} />}
        </div>
      ) : (
        <Alert color="yellow" variant="light" role="alert">
          {sentenceOf(error)}
        </Alert>
      )}
      {links[0] && <ReachWarning url={links[0].short_url} />}
      <Group justify="flex-end" gap="xs">
        <Button
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          disabled={data === undefined}
          onClick={() => data && saveBlob(zipOf(data.map(fileOf)), "qr-codes.zip")}
        >
          <Trans>SVG files (ZIP)</Trans>
        </Button>
        <Button
          leftSection={<IconPrinter size={16} aria-hidden />}
          disabled={data === undefined}
          onClick={() => print()}
        >
          <Trans>Print</Trans>
        </Button>
      </Group>
      {/* Beside the dialog, which would cut it after the first page. */}
      {createPortal(<div className={classes["paper"]}>{codes}</div>, document.body)}
    </Stack>
  );
}

const Codes = ({ drawn, columns }: { drawn: readonly Drawn[]; columns: string }) => (
  <ul className={classes["codes"]} style={{ gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}>
    {drawn.map(({ link, svg }) => (
      <li key={link.id}>
        <img src={`data:image/svg+xml,${encodeURIComponent(svg)}`} alt="" />
        {link.title !== null && <b dir="auto">{link.title}</b>}
        <span>{link.short_url.replace(/^https?:\/\//, "")}</span>
      </li>
    ))}
  </ul>
);

async function drawAll(
  links: readonly Link[],
  { logo, ...look }: QrLook & { logo: string | null },
  signal: AbortSignal,
): Promise<Drawn[]> {
  const drawn: Drawn[] = [];
  for (let at = 0; at < links.length; at += AT_ONCE) {
    const some = links.slice(at, at + AT_ONCE).map(async (link) => {
      const place = { code: link.code, domain: link.domain ?? undefined };
      return { link, svg: await qrSvg({ place, look, logo, signal }) };
    });
    drawn.push(...(await Promise.all(some)));
  }
  return drawn;
}

/** No code has a blank, so no two have one name. */
const fileOf = ({ link: { code, domain }, svg }: Drawn) => ({
  name: `${domain === null ? "" : `${domain} `}${code.replaceAll("/", " ")}.svg`,
  text: svg,
});
