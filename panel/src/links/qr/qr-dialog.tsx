import { Trans, useLingui } from "@lingui/react/macro";
import { Alert, Button, Group, SimpleGrid, Skeleton, Stack, Switch, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { IconCopy, IconDownload } from "@tabler/icons-react";
import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { useSentence } from "../../ui/failure.tsx";
import { useFailureNotice } from "../../ui/notices/undo.tsx";
import { saveBlob } from "../csv/save-blob.ts";
import { useIgnoresCase } from "../form/ignores-case.ts";
import { useDraft } from "../../ui/forms/use-draft.tsx";
import { PLAIN_LOOK, type QrLink, type QrLook } from "./qr-look.ts";
import { QrLookFields } from "./qr-look-fields.tsx";
import { inMillimetres, printedWidth, qrPdf, qrPng, qrSvg } from "./qr-picture.ts";
import { ReachWarning } from "./reach-warning.tsx";
import classes from "./qr.module.css";

type Props = { link: QrLink; onClose(): void };

/** With its logo as a data URL. */
type Designed = QrLook & { logo: string | null };

const DELAY_MS = 150;

const draw = {
  svg: async (requested: Parameters<typeof qrSvg>[0]) =>
    new Blob([inMillimetres(await qrSvg(requested), requested.look.mm)], { type: "image/svg+xml" }),
  png: qrPng,
  pdf: qrPdf,
};

/** The design of a link's QR code, and its download. */
export function QrCodeDialog({ link, onClose }: Props) {
  const { t } = useLingui();
  return (
    <Dialog title={t`QR code`} isOpen onClose={onClose} size="lg">
      <Designer link={link} />
    </Dialog>
  );
}

function Designer({ link }: Pick<Props, "link">) {
  const { t } = useLingui();
  const sentenceOf = useSentence();
  const onError = useFailureNotice();
  // One for all links, so that their codes look alike.
  const draft = useDraft<Designed>("qr", { ...PLAIN_LOOK, logo: null });
  const [{ logo, ...look }, setDesigned] = useState({ ...PLAIN_LOOK, ...draft.start });
  function design(next: Partial<Designed>): void {
    const designed = { ...look, logo, ...next };
    setDesigned(designed);
    draft.keep(designed);
  }
  const canCaps = useIgnoresCase(link.domain);
  const [wantsCaps, setCaps] = useState(false);
  const caps = canCaps && wantsCaps;
  const [drawn] = useDebouncedValue(look, DELAY_MS);
  const place = { code: link.code, domain: link.domain ?? undefined };
  const { data, error } = useQuery({
    queryKey: ["links", "qr", place, drawn, logo, caps],
    queryFn: ({ signal }) => qrSvg({ place, look: drawn, logo, caps, signal }),
    placeholderData: keepPreviousData,
    retry: false,
  });
  // While colours can't be scanned, the last picture stays.
  const [svg, setSvg] = useState(data);
  if (data !== undefined && data !== svg) setSvg(data);
  const name = link.code.replaceAll("/", "-");
  const save = useMutation({
    async mutationFn(format: keyof typeof draw) {
      saveBlob(await draw[format]({ place, look, logo, caps }), `${name}.${format}`);
    },
    onError,
  });
  const copy = useMutation({
    mutationFn: () =>
      navigator.clipboard.write([new ClipboardItem({ "image/png": qrPng({ place, look, logo, caps }) })]),
    onSuccess: () => notifications.show({ message: t`The QR code is copied.` }),
    onError,
  });
  const canCopy = typeof ClipboardItem === "function" && navigator.clipboard !== undefined;
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="lg">
      <Stack gap="sm">
        {svg === undefined ? (
          error === null && <Skeleton className={classes["picture"]} />
        ) : (
          <img
            className={classes["picture"]}
            data-old={error !== null || undefined}
            src={`data:image/svg+xml,${encodeURIComponent(svg)}`}
            alt={t`QR code of ${link.code}`}
          />
        )}
        <Text size="sm" c="dimmed" ta="center" style={{ overflowWrap: "anywhere" }}>
          {caps ? link.short_url.toUpperCase() : link.short_url}
        </Text>
        <ReachWarning url={link.short_url} />
        {error !== null && (
          <Alert color="yellow" variant="light" role="alert">
            {sentenceOf(error)}
          </Alert>
        )}
        <Group gap="xs" grow>
          {(["svg", "png", "pdf"] as const).map((format) => (
            <Button
              key={format}
              variant="default"
              px="xs"
              leftSection={<IconDownload size={16} />}
              disabled={error !== null}
              onClick={() => save.mutate(format)}
            >
              {format.toUpperCase()}
            </Button>
          ))}
        </Group>
        {canCopy && (
          <Button
            variant="default"
            leftSection={<IconCopy size={16} />}
            disabled={error !== null}
            loading={copy.isPending}
            onClick={() => copy.mutate()}
          >
            <Trans>Copy image</Trans>
          </Button>
        )}
      </Stack>
      <Stack gap="sm">
        <QrLookFields
          look={look}
          onLook={design}
          printed={svg === undefined ? undefined : printedWidth(svg, { ...drawn, mm: look.mm })}
          logo={logo}
          onLogo={(picture) => design({ logo: picture })}
        />
        {canCaps && (
          <Switch
            label={t`Address in capitals`}
            description={t`A coarser picture, which is read from farther away.`}
            checked={caps}
            onChange={({ currentTarget }) => setCaps(currentTarget.checked)}
          />
        )}
      </Stack>
    </SimpleGrid>
  );
}
