import { Trans, useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { useState } from "react";
import type { Policy } from "../../base/api.ts";
import { lazyOrFailure } from "../../base/lazy.ts";
import { SideForm } from "../../ui/forms/side-form.tsx";

const PolicyMoveForm = lazyOrFailure(async () => (await import("./policy-move-form.tsx")).PolicyMoveForm);

/** The button that moves the content of a storage, and its form. */
export function MovePolicy({ policy }: { policy: Policy }) {
  const { t } = useLingui();
  const [isOpen, setOpen] = useState(false);
  if (policy.driver_type === "linked" || policy.move_state === "running") return null;
  return (
    <>
      <Button
        size="compact-sm"
        variant="subtle"
        aria-label={t`Move the content of ${policy.name}`}
        onClick={() => setOpen(true)}
      >
        <Trans>Move…</Trans>
      </Button>
      <SideForm title={t`Move the content of ${policy.name}`} isOpen={isOpen} onClose={() => setOpen(false)}>
        <PolicyMoveForm policy={policy} onClose={() => setOpen(false)} />
      </SideForm>
    </>
  );
}
