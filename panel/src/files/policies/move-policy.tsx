import { Trans, useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Policy } from "../../base/api.ts";
import { lazyOrFailure } from "../../base/lazy.ts";
import { policyUsageQuery } from "./policy-queries.ts";
import { SideForm } from "../../ui/forms/side-form.tsx";

const PolicyMoveForm = lazyOrFailure(async () => (await import("./policy-move-form.tsx")).PolicyMoveForm);

/** The button that moves the content of a storage, and its form. */
export function MovePolicy({ policy }: { policy: Policy }) {
  const { t } = useLingui();
  const [isOpen, setOpen] = useState(false);
  const { data } = useQuery(policyUsageQuery(policy));
  if (policy.driver_type === "linked" || policy.move_state === "running" || data?.objects === 0) return null;
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
