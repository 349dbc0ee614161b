/** Days of a time zone as text, such as `2026-11-20`, and their instants. */
const MINUTES_OF_HOUR = 60;

export const zonedDayOf = (zone: string, instant: number): string =>
  Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone).toPlainDate().toString();

export const addDays = (day: string, count: number): string =>
  Temporal.PlainDate.from(day).add({ days: count }).toString();

/** Days from one to the other, both included. */
export const countDays = (first: string, last: string): number =>
  Temporal.PlainDate.from(first).until(last, { largestUnit: "days" }).days + 1;

/** The first instant of a day in the zone. */
export const firstInstantOf = (zone: string, day: string): number =>
  Temporal.PlainDate.from(day).toZonedDateTime(zone).epochMilliseconds;

/**
 * A time of a day in the zone; one that its clocks skip is as much later, and of a repeated one the first counts.
 * @param minute after midnight
 */
export const zonedInstantOf = (zone: string, day: string, minute: number): number =>
  Temporal.PlainDate.from(day).toZonedDateTime({
    timeZone: zone,
    plainTime: { hour: Math.floor(minute / MINUTES_OF_HOUR), minute: minute % MINUTES_OF_HOUR },
  }).epochMilliseconds;
