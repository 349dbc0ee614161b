import { useLingui } from "@lingui/react/macro";
import type { Mail } from "../base/api.ts";

/** By kind; an unknown one is a newer server's. */
export function useKindNames(): Readonly<Record<string, string>> {
  const { t } = useLingui();
  return {
    test: t`Test`,
    invitation: t`Invitation`,
    reset: t`New password`,
    address: t`Confirmation of an address`,
    sign_in: t`New sign-in`,
    passkey: t`New passkey`,
    drop: t`Files in a drop box`,
    download: t`Downloads of a share`,
    share_ending: t`End of a share`,
    share: t`Share for a recipient`,
    share_code: t`Code for a recipient`,
    report: t`Report page by mail`,
    report_confirm: t`Question whether a report is wanted`,
    link_threshold: t`Human clicks of a link`,
    target_dead: t`Target does not answer`,
    backup: t`Failed backup`,
    webhook: t`Disabled webhook`,
    certificate: t`Certificate not renewed`,
  };
}

export function useStateNames(): Readonly<Record<Mail["state"], string>> {
  const { t } = useLingui();
  return { waiting: t`Waiting`, sending: t`Being sent`, sent: t`Sent`, failed: t`Not sent` };
}
