import { useLingui } from "@lingui/react/macro";
import { Stack } from "@mantine/core";
import type { Share } from "../base/api.ts";
import { SideForm } from "../ui/forms/side-form.tsx";
import { EndShare } from "./end-share.tsx";
import { ReceivedFiles } from "./received-files.tsx";
import { ShareAddress } from "./share-address.tsx";
import { ShareQr } from "./share-qr.tsx";

export type OverlayProps = {
  scanned: Share | null;
  onScanned(): void;
  /** Code of a drop box. */
  box: string | undefined;
  onBox(): void;
  ended: Share | null;
  onEnded(): void;
  account: number;
};

/** What opens over the list of shares. */
export function ShareOverlays({ scanned, onScanned, box, onBox, ended, onEnded, account }: OverlayProps) {
  const { t } = useLingui();
  return (
    <>
      <SideForm title={t`QR code`} isOpen={scanned !== null} onClose={onScanned}>
        {scanned !== null && (
          <Stack gap="md">
            <ShareAddress address={scanned.short_url} />
            <ShareQr address={scanned.short_url} code={scanned.code} />
          </Stack>
        )}
      </SideForm>
      <ReceivedFiles code={box} onClose={onBox} />
      <EndShare share={ended} account={account} onClose={onEnded} />
    </>
  );
}
