import { lazy, Suspense } from "react";
import type { Link } from "../../app/api.ts";

const QrCodeDialog = lazy(async () => ({ default: (await import("../qr/qr-dialog.tsx")).QrCodeDialog }));

export const QrDialog = ({ link, onClose }: { link: Link; onClose(): void }) => (
  <Suspense>
    <QrCodeDialog link={link} isOpen onClose={onClose} />
  </Suspense>
);
