import type { QrLink } from "../qr/qr-look.ts";
import { lazyPart } from "../../base/lazy.ts";
import { LazyDialog } from "../../ui/dialogs/lazy-dialog.tsx";

const QrCodeDialog = lazyPart(async () => (await import("../qr/qr-dialog.tsx")).QrCodeDialog);

export const QrDialog = ({ link, onClose }: { link: QrLink; onClose(): void }) => (
  <LazyDialog onClose={onClose}>
    <QrCodeDialog link={link} onClose={onClose} />
  </LazyDialog>
);
