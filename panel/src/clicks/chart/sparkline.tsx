import classes from "../clicks.module.css";

const HEIGHT = 24;

/** The course of a figure, as wide as there is room. The chart says it in numbers, and draws bots in the same colour. */
export function Sparkline({ values, isOfBots }: { values: readonly number[]; isOfBots: boolean }) {
  if (values.length < 2) return null;
  const most = values.reduce((one, other) => Math.max(one, other), 1);
  const points = values.map((value, at) => `${at},${HEIGHT * (1 - value / most)}`).join(" ");
  return (
    <svg
      viewBox={`0 0 ${values.length - 1} ${HEIGHT}`}
      preserveAspectRatio="none"
      className={classes["sparkline"]}
      data-bots={isOfBots || undefined}
      aria-hidden
    >
      <polyline points={points} />
    </svg>
  );
}
