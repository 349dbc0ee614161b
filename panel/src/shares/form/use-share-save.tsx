import { Plural, Trans, useLingui } from "@lingui/react/macro";
import type { UseFormReturnType } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useRef } from "react";
import { ApiError, type Share } from "../../base/api.ts";
import { SENDS_MAILS } from "../../base/place.ts";
import { CopyAction } from "../../ui/copy/copy-action.tsx";
import { copyMade } from "../../ui/copy/copy.ts";
import { fieldErrors } from "../../ui/forms/side-form.tsx";
import { showActions } from "../../ui/notices/action-notice.tsx";
import { useLateResponse } from "../../ui/notices/late-answer.ts";
import { useUndoOffer } from "../../ui/notices/undo.tsx";
import { refreshShares } from "../share-queries.ts";
import type { SharedItem } from "../share-search.ts";
import { type SavedShare, saveShare } from "./save-share.ts";
import type { ShareSubject, ShareValues } from "./share-values.ts";
import { useWrongEntries } from "./wrong-entries.ts";

/** Field names of the server, and of the form. */
const FIELDS: Record<string, keyof ShareValues> = {
  expires_at: "expires",
  max_downloads: "maxDownloads",
  max_bytes: "maxBytes",
  max_files: "maxFiles",
  max_file_size: "maxFileSize",
  require: "requires",
};

type Props = {
  subject: ShareSubject;
  initial: ShareValues;
  team: string | undefined;
  form: UseFormReturnType<ShareValues>;
  onClose(): void;
  /** Shows what was saved; a share that is none any more is not asked for again. */
  onSaved(saved: SavedShare): Promise<void>;
  /** The draft is saved. */
  forget(): void;
  /** Called with the names of fields that have errors. */
  onFields(names: readonly string[]): void;
};

/** Saves the form, says so with a way back, and shows refusals at their fields. */
export function useShareSave({ subject, initial, team, form, onClose, onSaved, forget, onFields }: Props) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const { isThere, tellIfGone } = useLateResponse(onClose);
  const offerUndo = useUndoOffer();
  function tell(saved: SavedShare): void {
    const { code, use, undo } = saved;
    const isRedirect = use === "url" && initial.use !== "url";
    const message = isRedirect ? (
      t`${code} redirects now. It is among the links.`
    ) : (
      <Trans>{`/${saved.code}`} is saved.</Trans>
    );
    if (undo === null) notifications.show({ message });
    else offerUndo({ message, undo, refresh: () => refreshShares(queries) });
  }
  /** What was made, copied and mailed. */
  function noteOf({ recipients }: Share, isCopied: boolean): ReactNode {
    const [first = "", ...others] = recipients;
    return (
      <>
        {isCopied ? <Trans>Created, short URL copied.</Trans> : <Trans>Created.</Trans>}{" "}
        {SENDS_MAILS &&
          first !== "" &&
          (others.length === 0 ? (
            <Trans>The mail to {first} is on its way.</Trans>
          ) : (
            <Plural value={recipients.length} one="# mail is on its way." other="# mails are on their way." />
          ))}
      </>
    );
  }
  const wrongEntries = useWrongEntries();
  const spare = useRef<SharedItem | null>(null);
  return useMutation({
    async mutationFn() {
      const saving = saveShare(subject, initial, form.values, { team, placeName: t`Drop box`, spare });
      if (subject.form !== "new") return { saved: await saving, isCopied: false };
      return copyMade(saving, ({ made }) => made!.short_url);
    },
    async onSuccess({ saved, isCopied }) {
      forget();
      const { made } = saved;
      if (made === null) tell(saved);
      const isShown = isThere();
      if (isShown) await onSaved(saved);
      else if (made !== null && !isCopied)
        showActions(t`${made.short_url} is ready.`, <CopyAction address={made.short_url} />);
      if (made !== null && (isShown || isCopied)) notifications.show({ message: noteOf(made, isCopied) });
      await refreshShares(queries);
    },
    onError(error) {
      tellIfGone(error);
      if (!(error instanceof ApiError)) return;
      const said = { ...fieldErrors(error.details), ...wrongEntries.refused(error, form.values) };
      const named = Object.entries(said).map(
        ([field, message]) => [FIELDS[field] ?? field, message] as const,
      );
      form.setErrors(Object.fromEntries(named));
      onFields(named.map(([field]) => field));
    },
  });
}
