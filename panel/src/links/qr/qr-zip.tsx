import { Trans } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { IconQrcode } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { Link } from "../../base/api.ts";
import { zipOf } from "../../base/zip.ts";
import { useFailureNotice } from "../../ui/undo.tsx";
import { useDraft } from "../../ui/use-draft.tsx";
import { saveBlob } from "../csv/save-blob.ts";
import { PLAIN_LOOK, type QrLook } from "./qr-look.ts";
import { qrSvg } from "./qr-picture.ts";

/** A ZIP of the QR codes of links, in the look that was chosen last. */
export function QrZip({ links, className }: { links: readonly Link[]; className: string }) {
  const onError = useFailureNotice();
  const { start } = useDraft<QrLook & { logo: string | null }>("qr", { ...PLAIN_LOOK, logo: null });
  const save = useMutation({
    async mutationFn() {
      const { logo, ...look } = start;
      const files: { name: string; text: string }[] = [];
      for (const { code, domain } of links) {
        const text = await qrSvg({ place: { code, domain: domain ?? undefined }, look, logo });
        // No code has a blank, so no two have one name.
        const host = domain === null ? "" : `${domain} `;
        files.push({ name: `${host}${code.replaceAll("/", " ")}.svg`, text });
      }
      saveBlob(zipOf(files), "qr-codes.zip");
    },
    onError,
  });
  return (
    <Button
      size="xs"
      variant="default"
      className={className}
      leftSection={<IconQrcode size={14} aria-hidden />}
      loading={save.isPending}
      onClick={() => save.mutate()}
    >
      <Trans>QR codes</Trans>
    </Button>
  );
}
