/** A number with its noun, for people: `1 link`, `12,000 links`. `plural` where it isn't the noun with an s. */
export const pluralize = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count.toLocaleString("en")} ${count === 1 ? noun : plural}`;
