/**
 * Hours, days, weeks and months of the time zone that an administrator chose.
 *
 * A small table of offsets from UTC answers everything. A change of the zone is one more change of the clock in it, at a
 * midnight of the new zone. While such a change is under way (zone-change.ts), the sums have the new zone up to an
 * instant and the former one from there on, and so has the table, so that sums and reports agree at every moment.
 *
 * Hours begin with those of the zone, where that is half an hour off at half past in UTC, so that each lies in one day.
 * Hours of zones that differ by whole hours have the same numbers. Where a clock moves by half an hour (Lord Howe), one
 * hour of the year is longer, and one shorter.
 */
import { zoneOffsets, type ZoneOffset } from "../../lib/time-zone.ts";
import {
  DAY_MS,
  dayLabel,
  firstDayOfMonth,
  firstDayOfWeek,
  HOUR_MS,
  monthLabel,
  monthOfDay,
  type Span,
  type TimeBuckets,
  type Unit,
  weekLabel,
  weekOfDay,
} from "./time-buckets.ts";

/** `from`: the first instant, 0 for the first zone. */
export type ZoneSpan = { zone: string; from: number };

export type CalendarState = {
  /** The last one is the zone of today. */
  zones: readonly ZoneSpan[];
  /** While a change is under way: the sums from the instant `to` on are still in these zones. */
  moving: { former: readonly ZoneSpan[]; to: number } | null;
  /** The first instant from which the days are exactly those of the last zone; 0: all. */
  exactFrom: number;
  /** Days whose values are still counted in the former zones; `to` is excluded. */
  recount: Span | null;
};

export type Calendar = Readonly<Record<Unit, TimeBuckets>> & {
  /** IANA name. */
  readonly zone: string;
  /** Days before this instant are those of another zone; null: none are. */
  readonly since: number | null;
  /** Clicks of hours before may be counted in a neighbouring day, up to an hour away; 0: none are. */
  readonly exactFrom: number;
  /** The offset from UTC in milliseconds. */
  offsetAt(instant: number): number;
  /** Parts with one offset each. */
  partsOf(span: Span): { offset: number; span: Span }[];
};

type Times = Pick<CalendarState, "zones"> & Partial<Pick<CalendarState, "moving" | "exactFrom">>;

export function createCalendar({ zones, moving = null, exactFrom = 0 }: Times): Calendar {
  const last = zones.at(-1)!;
  const offsets = createOffsets(
    moving === null
      ? tableOf(zones)
      : [...within(tableOf(zones), 0, moving.to), ...within(tableOf(moving.former), moving.to)],
  );
  const day = { ...offsets.buckets(DAY_MS, (offset) => offset), label: dayLabel };
  const hour = offsets.buckets(HOUR_MS, (offset) => modulo(offset, HOUR_MS));
  const since = Math.max(last.from, exactFrom);
  return {
    zone: last.zone,
    since: since === 0 ? null : since,
    exactFrom,
    offsetAt: offsets.at,
    partsOf: offsets.partsOf,
    hour: { ...hour, label: (bucket) => offsets.hourLabel(hour.startOf(bucket)) },
    day,
    week: {
      of: (instant) => weekOfDay(day.of(instant)),
      startOf: (week) => day.startOf(firstDayOfWeek(week)),
      label: weekLabel,
    },
    month: {
      of: (instant) => monthOfDay(day.of(instant)),
      startOf: (month) => day.startOf(firstDayOfMonth(month)),
      label: monthLabel,
    },
  };
}

const modulo = (value: number, by: number): number => ((value % by) + by) % by;

/** More than any two offsets differ. */
const LONGEST_SHIFT_MS = 2 * DAY_MS;

const tableOf = (zones: readonly ZoneSpan[]): ZoneOffset[] =>
  zones.flatMap(({ zone, from }, at) => within(zoneOffsets(zone), from, zones[at + 1]?.from));

function createOffsets(table: readonly ZoneOffset[]) {
  const endOf = (index: number) => table[index + 1]?.from ?? Number.POSITIVE_INFINITY;
  let recent = table.length - 1;

  /** Clicks come in order, so the last one found is mostly right. */
  function indexAt(instant: number): number {
    if (instant >= table[recent]!.from && instant < endOf(recent)) return recent;
    let [low, high] = [0, table.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (table[middle]!.from <= instant) low = middle;
      else high = middle - 1;
    }
    return (recent = low);
  }

  return {
    at: (instant: number): number => table[indexAt(instant)]!.offset,

    partsOf({ from, to }: Span): { offset: number; span: Span }[] {
      const parts: { offset: number; span: Span }[] = [];
      for (let start = from; start < to; ) {
        const index = indexAt(start);
        const end = Math.min(to, endOf(index));
        parts.push({ offset: table[index]!.offset, span: { from: start, to: end } });
        start = end;
      }
      return parts;
    },

    /** Multiples of `size` on a clock that is `shiftOf(offset)` ahead of UTC. */
    buckets(size: number, shiftOf: (offset: number) => number): Omit<TimeBuckets, "label"> {
      const shifts = table.map(({ offset }) => shiftOf(offset));
      return {
        of: (instant) => Math.floor((instant + shifts[indexAt(instant)]!) / size),
        startOf(bucket) {
          const inUtc = bucket * size;
          let index = indexAt(inUtc - LONGEST_SHIFT_MS);
          while (inUtc - shifts[index]! >= endOf(index)) index++;
          const start = inUtc - shifts[index]!;
          return index === 0 ? start : Math.max(table[index]!.from, start);
        },
      };
    },

    /** With the offset if the clock showed the same before, like the second of a repeated hour. */
    hourLabel(start: number): string {
      const index = indexAt(start);
      const { from, offset } = table[index]!;
      const local = new Date(start + offset).toISOString().slice(0, 16).replace("T", " ");
      const before = table[index - 1];
      const isRepeated = before !== undefined && start + offset < from + before.offset;
      return isRepeated ? `${local} ${offsetText(offset)}` : local;
    },
  };
}

/** The offsets from an instant until another one. */
function within(offsets: readonly ZoneOffset[], from: number, to = Number.POSITIVE_INFINITY): ZoneOffset[] {
  return offsets.flatMap((one, at) => {
    const start = Math.max(one.from, from);
    const end = Math.min(offsets[at + 1]?.from ?? to, to);
    return start < end ? [{ ...one, from: start }] : [];
  });
}

/** `+05:45` */
function offsetText(offset: number): string {
  const minutes = Math.abs(Math.round(offset / 60_000));
  const two = (number: number) => String(number).padStart(2, "0");
  return `${offset < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** For what needs days of about the right length: retention and its bounds. */
export const UTC = createCalendar({ zones: [{ zone: "UTC", from: 0 }] });
