import { Trans } from "@lingui/react/macro";
import { IconCheck } from "@tabler/icons-react";
import classes from "./rules.module.css";

/** Marks the sentence that decides for the visitor of "Visit as". */
export const Decides = () => (
  <span className={classes["decides"]}>
    <IconCheck size={14} aria-hidden />
    <Trans>Decides for this visitor</Trans>
  </span>
);
