import { useLingui } from "@lingui/react/macro";
import { lazyOrFailure } from "../../base/lazy.ts";
import { SideForm } from "../../ui/forms/side-form.tsx";
import type { BulkLead, LinksChange } from "./bulk-change.ts";
import type { Selected } from "../list/selection.ts";

const BulkFields = lazyOrFailure(async () => (await import("./bulk-fields.tsx")).BulkFields);

type Props = {
  selected: Selected;
  isOpen: boolean;
  lead: BulkLead;
  onSave(change: LinksChange): void;
  onClose(): void;
};

export function BulkEdit({ isOpen, ...props }: Props) {
  const { t } = useLingui();
  return (
    <SideForm
      title={props.lead === "owner" ? t`Hand over links` : t`Edit what is selected`}
      isOpen={isOpen}
      onClose={props.onClose}
    >
      <BulkFields {...props} />
    </SideForm>
  );
}
