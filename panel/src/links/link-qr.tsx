import { Trans, useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { IconQrcode } from "@tabler/icons-react";
import { useState } from "react";
import type { Link } from "../base/api.ts";
import { lazyPart } from "../base/lazy.ts";
import { usePageRequest } from "../ui/dialogs/page-request.ts";
import { useShortcuts } from "../ui/keys/page-keys.ts";
import { hinted } from "../ui/keys/shortcuts.ts";
import { LazyDialog } from "../ui/dialogs/lazy-dialog.tsx";

const QrCodeDialog = lazyPart(async () => (await import("./qr/qr-dialog.tsx")).QrCodeDialog);

/** Opens the QR code of a link. */
export function LinkQr({ link }: { link: Link | undefined }) {
  const { t } = useLingui();
  const [isOpen, setIsOpen] = useState(false);
  useShortcuts({ qr: () => link !== undefined && setIsOpen(true) });
  usePageRequest("qr", () => setIsOpen(true));
  const close = () => setIsOpen(false);
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconQrcode size={16} />}
        disabled={link === undefined}
        {...hinted(t`QR code`, "qr")}
        onClick={() => setIsOpen(true)}
      >
        <Trans>QR</Trans>
      </Button>
      {isOpen && link && (
        <LazyDialog onClose={close}>
          <QrCodeDialog link={link} onClose={close} />
        </LazyDialog>
      )}
    </>
  );
}
