import { useLingui } from "@lingui/react/macro";

import type { Link } from "../app/api.ts";
import { lazyOrFailure } from "../app/lazy.ts";
import { SideForm } from "../ui/side-form.tsx";
import type { OnLinkSaved } from "./link-queries.ts";

const LinkFields = lazyOrFailure(async () => (await import("./form/link-fields.tsx")).LinkFields);

type Props = { edited: Link | "new" | null; onClose(): void; onSaved?: OnLinkSaved };

/** Makes a link, or edits all of one. */
export function LinkForm({ edited, onClose, onSaved }: Props) {
  const { t } = useLingui();
  const title = edited === "new" || edited === null ? t`New link` : t`Edit ${edited.code}`;
  return (
    <SideForm title={title} isOpen={edited !== null} onClose={onClose}>
      {edited !== null && (
        <LinkFields
          key={edited === "new" ? "" : `${edited.domain}/${edited.code}`}
          link={edited === "new" ? null : edited}
          onClose={onClose}
          onSaved={onSaved}
        />
      )}
    </SideForm>
  );
}
