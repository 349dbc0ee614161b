import { useLingui } from "@lingui/react/macro";

/** The name of a control that a list has for each of its rows: its text, then what it is for. */
export function useNamed(): (text: string, of: string) => string {
  const { t } = useLingui();
  return (text, of) => t`${text}: ${of}`;
}
