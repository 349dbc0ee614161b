import { useLingui } from "@lingui/react/macro";
import { Stack } from "@mantine/core";
import { useState } from "react";
import type { Share } from "../base/api.ts";
import { lazyOrFailure } from "../base/lazy.ts";
import { SideForm } from "../ui/forms/side-form.tsx";
import type { SavedShare } from "./form/save-share.ts";
import { ShareAddress } from "./share-address.tsx";
import type { ShareSubject } from "./form/share-values.ts";

const ShareForm = lazyOrFailure(async () => (await import("./form/share-form.tsx")).ShareForm);
const ShareReady = lazyOrFailure(async () => (await import("./share-ready.tsx")).ShareReady);

type Props = {
  subject: ShareSubject | null;
  /** Whose files can be chosen; absent: those of the account. */
  team?: string | undefined;
  onClose(): void;
  onSaved?(saved: SavedShare): void;
};

/** Creates or changes a share or drop box, and changes what a code leads to. */
export function ShareDialog({ subject, team, onClose, onSaved }: Props) {
  const { t } = useLingui();
  const [made, setMade] = useState<Share | null>(null);
  const known = subject?.form === "edit" ? subject.share : subject?.form === "link" ? subject.link : null;
  const several = subject?.form === "new" ? subject.items?.length : undefined;
  const name = subject?.form === "new" ? subject.item?.name : known?.code;
  const close = () => {
    onClose();
    setMade(null);
  };
  function settle(saved: SavedShare): void {
    onSaved?.(saved);
    if (saved.made === null) close();
    else setMade(saved.made);
  }
  const title =
    known !== null
      ? t`Edit ${known.code}`
      : several !== undefined
        ? t`Share ${several} items`
        : name === undefined
          ? t`New share`
          : t`Share ${name}`;
  return (
    <SideForm
      title={made === null ? title : t`The short URL is ready`}
      isOpen={subject !== null}
      onClose={close}
    >
      {made !== null && <ShareReady share={made} onClose={close} />}
      {made === null && subject !== null && (
        <Stack gap="md">
          {known !== null && <ShareAddress address={known.short_url} />}
          <ShareForm subject={subject} team={team} onClose={close} onSaved={settle} />
        </Stack>
      )}
    </SideForm>
  );
}
