import { useLingui } from "@lingui/react/macro";
import type { ProductImport } from "../../base/api.ts";
import { StateBadge } from "../../ui/state-badge.tsx";

type State = ProductImport["state"];

const TONES: Record<State, "good" | "warning" | "bad" | "quiet"> = {
  previewing: "quiet",
  previewed: "quiet",
  running: "quiet",
  stopped: "bad",
  done: "warning",
  undoing: "quiet",
  undone: "quiet",
  confirming: "quiet",
  confirmed: "good",
};

/** A table waits for the column of the target. */
export const lacksTarget = ({ state, columns }: ProductImport): boolean =>
  state === "stopped" && columns.length > 0 && columns.every(({ field }) => field !== "target");

export function MoveState({ move }: { move: ProductImport }) {
  const { t } = useLingui();
  const { state } = move;
  const names: Record<State, string> = {
    previewing: t`Being read`,
    previewed: t`Ready to start`,
    running: t`Running`,
    stopped: t`Stopped`,
    done: t`Done, can be undone`,
    undoing: t`Being undone`,
    undone: t`Undone`,
    confirming: t`Finishing`,
    confirmed: t`Kept for good`,
  };
  if (lacksTarget(move)) return <StateBadge tone="warning">{t`Columns to match`}</StateBadge>;
  return <StateBadge tone={TONES[state]}>{names[state]}</StateBadge>;
}
