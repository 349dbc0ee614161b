import { useLingui } from "@lingui/react/macro";

/** Why a code can't be had, by the reason of the API. */
export function useCodeRefusals() {
  const { t } = useLingui();
  return {
    invalid: t`A code has letters, digits and _ . - / only.`,
    reserved: t`This code is reserved.`,
    taken: t`Another link has this code.`,
    alias: t`This code is an alias of another link.`,
    closed: t`You may not make links on this domain. Select another one.`,
  };
}
