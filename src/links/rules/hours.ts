/** Local hours of the week. Clocks that change count by what they show: an hour that comes twice holds twice. */
import { DAYS } from "./rule.ts";

type Hours = {
  days?: readonly string[] | undefined;
  from?: string | undefined;
  to?: string | undefined;
  zone: string;
};

/** `day`: 0 is Monday. */
type LocalTime = { day: number; minutes: number };

const MINUTE_MS = 60_000;
const MINUTE_NS = 60_000_000_000;

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
const two = (number: number): string => String(number).padStart(2, "0");

/** Remembers one minute. */
function localTimeIn(zone: string): (now: number) => LocalTime {
  let known: LocalTime | null = null;
  let minute = Number.NaN;
  return (now) => {
    const asked = Math.floor(now / MINUTE_MS);
    if (known !== null && asked === minute) return known;
    const local = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone);
    const time = { day: local.dayOfWeek - 1, minutes: local.hour * 60 + local.minute };
    // Until 1972 some zones were seconds off.
    [known, minute] = [local.offsetNanoseconds % MINUTE_NS === 0 ? time : null, asked];
    return time;
  };
}

/** A span over midnight belongs to the day on which it begins. */
export function compileHours({ days, from = "00:00", to = "24:00", zone }: Hours) {
  const localTime = localTimeIn(zone);
  const [start, end] = [minutesOf(from), minutesOf(to)];
  const isDay = DAYS.map((day) => days?.includes(day) ?? true);
  const isOverMidnight = start > end;
  return {
    includes(now: number): boolean {
      const { day, minutes } = localTime(now);
      if (!isOverMidnight) return isDay[day]! && minutes >= start && minutes < end;
      return minutes >= start ? isDay[day]! : minutes < end && isDay[(day + 6) % 7]!;
    },
    /** `fri 22:14 Europe/Berlin`. */
    shown(now: number): string {
      const { day, minutes } = localTime(now);
      const hour = Math.floor(minutes / 60);
      return `${DAYS[day]} ${two(hour)}:${two(minutes % 60)} ${zone}`;
    },
  };
}
