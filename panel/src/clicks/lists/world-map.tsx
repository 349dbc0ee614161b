import { useLingui } from "@lingui/react/macro";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, memo, type PointerEvent, useMemo, useState } from "react";
import { formatNumber, formatShare } from "../../base/i18n.ts";
import classes from "../clicks.module.css";
import type { Counted } from "../list-items.ts";
import worldAddress from "./world.json?url";

const LEVELS = 5;

/** Shapes of countries by their codes, and points for those too small to see. */
type World = {
  width: number;
  height: number;
  land: Readonly<Record<string, string>>;
  small: Readonly<Record<string, readonly [x: number, y: number]>>;
};

/** Data, not script: the page is drawn without them. */
const worldQuery = queryOptions({
  queryKey: ["world"],
  async queryFn({ signal }): Promise<World> {
    const response = await fetch(worldAddress, { signal });
    if (!response.ok) throw new Error(`the map's shapes: ${response.status}`);
    return response.json() as Promise<World>;
  },
  staleTime: Number.POSITIVE_INFINITY,
});

/** Darker for more clicks, by the root of their share: one country often has half of them. */
const levelOf = (count: number, most: number): number =>
  count <= 0 ? 0 : Math.max(1, Math.ceil(LEVELS * Math.sqrt(count / most)));

type Props = { countries: readonly Counted[] };
type Tip = { country: Counted; x: number; y: number };

/** Countries by clicks. The list beside it has the same data; arrow keys go through it. */
export const WorldMap = memo(function WorldMap({ countries }: Props) {
  const { t } = useLingui();
  const { data: world } = useQuery(worldQuery);
  const [tip, setTip] = useState<Tip | null>(null);
  const byCode = useMemo(() => new Map(countries.map((country) => [country.key, country])), [countries]);
  const drawn = useMemo(() => {
    if (world === undefined) return null;
    const most = Math.max(1, ...countries.map(({ count }) => count));
    const level = (code: string) => levelOf(byCode.get(code)?.count ?? 0, most);
    return (
      <>
        {Object.entries(world.land).map(([code, path]) => (
          <path key={code} d={path} data-code={code} data-level={level(code)} />
        ))}
        {Object.entries(world.small)
          .filter(([code]) => byCode.has(code))
          .map(([code, [x, y]]) => (
            <circle key={code} cx={x} cy={y} r={5} data-code={code} data-level={level(code)} />
          ))}
      </>
    );
  }, [countries, byCode, world]);
  const at = tip === null ? -1 : countries.findIndex(({ key }) => key === tip.country.key);

  function show(code: string | undefined, svg: Element): void {
    const country = code === undefined ? undefined : byCode.get(code);
    if (country === undefined) return setTip(null);
    const shape = svg.querySelector(`[data-code="${CSS.escape(country.key)}"]`);
    const [place, frame] = [shape?.getBoundingClientRect(), svg.getBoundingClientRect()];
    setTip({
      country,
      x: place ? (place.left + place.width / 2 - frame.left) / frame.width : 0.5,
      y: place ? (place.top - frame.top) / frame.height : 0,
    });
  }

  const point = ({ target, currentTarget }: PointerEvent) =>
    show((target as Element).getAttribute("data-code") ?? undefined, currentTarget);

  function onKeyDown(event: KeyboardEvent): void {
    const steps: Record<string, number> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
    const ends: Record<string, number> = { Home: 0, End: countries.length - 1 };
    const next = ends[event.key] ?? (steps[event.key] === undefined ? undefined : at + steps[event.key]!);
    if (next === undefined || countries.length === 0) return;
    event.preventDefault();
    show(countries[Math.max(0, Math.min(countries.length - 1, next))]!.key, event.currentTarget);
  }

  const textOf = ({ name, count, percentage }: Counted) =>
    `${name}: ${formatNumber(count)} (${formatShare(percentage)})`;
  if (world === undefined) return null;
  const announced = countries[Math.max(0, at)];
  return (
    <div className={classes["map"]}>
      <svg
        viewBox={`0 0 ${world.width} ${world.height}`}
        role="slider"
        tabIndex={0}
        aria-label={t`Countries on a map`}
        aria-description={t`Arrow keys go from the most clicks to the fewest.`}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, countries.length - 1)}
        aria-valuenow={Math.max(0, at)}
        aria-valuetext={announced ? textOf(announced) : t`No clicks in this range.`}
        onPointerMove={point}
        onPointerDown={point}
        onPointerLeave={({ pointerType }) => pointerType === "mouse" && setTip(null)}
        onBlur={() => setTip(null)}
        onKeyDown={onKeyDown}
        data-chosen={tip?.country.key}
      >
        {drawn}
        {tip !== null && <Chosen path={world.land[tip.country.key]} />}
      </svg>
      {tip !== null && (
        <div
          className={classes["mapTip"]}
          style={{ left: `${tip.x * 100}%`, top: `${tip.y * 100}%` }}
          data-side={tip.x > 0.7 ? "left" : tip.x < 0.3 ? "right" : "middle"}
          aria-hidden
        >
          {textOf(tip.country)}
        </div>
      )}
    </div>
  );
});

/** The outline of a country, above its neighbours. */
const Chosen = ({ path }: { path: string | undefined }) =>
  path !== undefined && <path d={path} data-outline />;
