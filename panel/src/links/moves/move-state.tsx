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

export function MoveState({ state }: { state: State }) {
  const { t } = useLingui();
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
  return <StateBadge tone={TONES[state]}>{names[state]}</StateBadge>;
}
