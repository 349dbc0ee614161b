import { useLingui } from "@lingui/react/macro";
import { useRef } from "react";
import type { Link } from "../base/api.ts";
import { lazyOrFailure } from "../base/lazy.ts";
import { SideForm } from "../ui/forms/side-form.tsx";
import { useHasDomains } from "./form/domains.ts";
import type { OnLinkSaved } from "./link-queries.ts";

const LinkFields = lazyOrFailure(async () => (await import("./form/link-fields.tsx")).LinkFields);

type Props = {
  edited: Link | "new" | null;
  onClose(): void;
  onSaved?: OnLinkSaved;
  /** Takes a list of targets that is pasted into a new link. */
  onMany?: (text: string) => void;
};

/** Makes a link, or edits all of one. */
export function LinkForm({ edited, onClose, onSaved, onMany }: Props) {
  const { t } = useLingui();
  const title = edited === "new" || edited === null ? t`New link` : t`Edit ${edited.code}`;
  const hasDomains = useHasDomains();
  // A late field would move the others. One that is shown stays.
  const isReady = useRef(false);
  isReady.current = edited !== null && (isReady.current || hasDomains !== undefined);
  return (
    <SideForm title={title} isOpen={edited !== null} isReady={isReady.current} onClose={onClose}>
      {edited !== null && (
        <LinkFields
          key={edited === "new" ? "" : `${edited.domain}/${edited.code}`}
          link={edited === "new" ? null : edited}
          onClose={onClose}
          onSaved={onSaved}
          onMany={onMany}
        />
      )}
    </SideForm>
  );
}
