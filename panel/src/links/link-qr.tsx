import { Trans } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { IconQrcode } from "@tabler/icons-react";
import { lazy, Suspense, useRef, useState } from "react";
import type { Link } from "../app/api.ts";

const QrCodeDialog = lazy(async () => ({ default: (await import("./qr/qr-dialog.tsx")).QrCodeDialog }));

/** Opens the QR code of a link. */
export function LinkQr({ link }: { link: Link | undefined }) {
  const opener = useRef<HTMLButtonElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  const [wasOpened, setWasOpened] = useState(false);
  const close = (): void => {
    setIsOpen(false);
    // The dialog was open when it was loaded, so it can't return the focus.
    requestAnimationFrame(() => opener.current?.focus());
  };
  return (
    <>
      <Button
        ref={opener}
        variant="default"
        leftSection={<IconQrcode size={16} />}
        disabled={link === undefined}
        onClick={() => {
          setWasOpened(true);
          setIsOpen(true);
        }}
      >
        <Trans>QR</Trans>
      </Button>
      {wasOpened && link && (
        <Suspense>
          <QrCodeDialog link={link} isOpen={isOpen} onClose={close} />
        </Suspense>
      )}
    </>
  );
}
