import { useLingui } from "@lingui/react/macro";
import classes from "./waiting-bar.module.css";

/** Says at the top of the window that something is on its way. What comes at once shows none. */
export function WaitingBar() {
  const { t } = useLingui();
  return <div role="progressbar" aria-label={t`Loading`} className={classes["bar"]} />;
}
